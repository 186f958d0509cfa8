package io.jenkins.plugins.compressionaware.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class HostTest {
    @Test
    void processorsAreSharedOnOneMachineOnly() {
        Host host = new Host("a", 4);
        assertEquals(4, host.shared(new Host("a", 4)));
        assertEquals(0, host.shared(new Host("b", 4)));
        assertEquals(0, host.shared(new Host("a", 2)), "a container with its own share");
        assertEquals(0, new Host(null, 4).shared(new Host(null, 4)), "nothing is known");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void thisMachineIsKnownAgain() {
        assertEquals(Runtime.getRuntime().availableProcessors(), Host.current().shared(Host.current()));
    }
}
