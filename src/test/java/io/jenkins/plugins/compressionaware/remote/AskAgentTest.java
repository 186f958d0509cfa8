package io.jenkins.plugins.compressionaware.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class AskAgentTest {
    private static AskAgent.Answer on(String bootId, int processors) {
        return new AskAgent.Answer(bootId, processors, "Linux", "amd64", null);
    }

    @Test
    void processorsAreSharedOnOneMachineOnly() {
        AskAgent.Answer answer = on("a", 4);
        assertEquals(4, answer.sharedProcessors(on("a", 4)));
        assertEquals(0, answer.sharedProcessors(on("b", 4)));
        assertEquals(0, answer.sharedProcessors(on("a", 2)), "a container with its own share");
        assertEquals(0, on(null, 4).sharedProcessors(on(null, 4)), "nothing is known");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void thisMachineIsKnownAgain() {
        assertEquals(4, on(AskAgent.bootId(), 4).sharedProcessors(on(AskAgent.bootId(), 4)));
    }
}
