package io.jenkins.plugins.compressionaware.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class AgentInfoCallableTest {
    private static AgentInfoCallable.Response on(String bootId, int processors) {
        return on(bootId, processors, true);
    }

    private static AgentInfoCallable.Response on(String bootId, int processors, boolean wholeMachine) {
        return new AgentInfoCallable.Response(bootId, processors, wholeMachine, "Linux", "amd64", null);
    }

    @Test
    void processorsAreSharedOnOneMachineOnly() {
        AgentInfoCallable.Response answer = on("a", 4);
        assertEquals(4, answer.sharedProcessors(on("a", 4)));
        assertEquals(0, answer.sharedProcessors(on("b", 4)));
        assertEquals(0, on(null, 4).sharedProcessors(on(null, 4)), "unknown boot IDs");
    }

    /** Pods on one node have the same boot ID, and often equal limits. */
    @Test
    void containersWithEqualLimitsShareNoProcessors() {
        assertEquals(0, on("a", 2, false).sharedProcessors(on("a", 2, false)));
        assertEquals(0, on("a", 4, true).sharedProcessors(on("a", 2, false)));
        assertEquals(0, on("a", 2, false).sharedProcessors(on("a", 4, true)));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void bootIdOfThisMachineIsStable() {
        String bootId = AgentInfoCallable.line(AgentInfoCallable.BOOT_ID);
        assertNotNull(bootId);
        assertEquals(bootId, AgentInfoCallable.line(AgentInfoCallable.BOOT_ID));
        assertTrue(AgentInfoCallable.line(AgentInfoCallable.ONLINE).matches("0(-\\d+)?.*"));
    }
}
