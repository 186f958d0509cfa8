package io.jenkins.plugins.compressionaware.engine.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The thread of a call writes the result to the channel after its end, and no interrupt may reach it then. */
class AgentEndTest {
    private static long[] waits() {
        return new long[] {AgentEnd.WAITS, 0, 0};
    }

    @Test
    void cancelInterruptsOnlyWhileTransferRuns() {
        try (AgentEnd end = AgentEnd.begin(71)) {
            AgentEnd.cancel(71);
            assertFalse(Thread.interrupted(), "the search for files loads classes over the channel");
            end.follow(AgentEndTest::waits);
            assertTrue(Thread.interrupted());
            AgentEnd.cancel(71);
            assertTrue(Thread.currentThread().isInterrupted());
        }
        assertFalse(Thread.interrupted());
        AgentEnd.cancel(71);
        assertFalse(Thread.interrupted());
    }

    /** The cancellation has found the end before it was closed. */
    @Test
    void closedEndDoesNotInterrupt() {
        AgentEnd end = AgentEnd.begin(72);
        end.follow(AgentEndTest::waits);
        end.close();
        end.cancel();
        assertFalse(Thread.interrupted());
    }

    @Test
    void otherTransfersAreNotCancelled() {
        try (AgentEnd end = AgentEnd.begin(73)) {
            end.follow(AgentEndTest::waits);
            AgentEnd.cancel(74);
            assertFalse(Thread.interrupted());
            assertEquals(AgentEnd.WAITS, AgentEnd.stateOf(73)[0]);
        }
        assertEquals(AgentEnd.UNKNOWN, AgentEnd.stateOf(73)[0]);
    }
}
