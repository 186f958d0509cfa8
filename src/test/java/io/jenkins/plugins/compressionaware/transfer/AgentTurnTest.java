package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AgentTurnTest {
    private final ByteArrayOutputStream log = new ByteArrayOutputStream();
    private final PrintStream lines = new PrintStream(log, true);
    private final Deque<AgentTurn> running = new ArrayDeque<>();

    @BeforeEach
    void takeAllTurns() throws InterruptedException {
        for (int i = 0; i < AgentTurn.MAX; i++) {
            running.push(AgentTurn.await("busy", lines));
        }
    }

    @AfterEach
    void end() {
        running.forEach(AgentTurn::close);
    }

    @Test
    void furtherTransferOfAgentWaits() throws Exception {
        assertEquals("", log.toString());
        FutureTask<AgentTurn> next = new FutureTask<>(() -> AgentTurn.await("busy", lines));
        Thread waiting = new Thread(next);
        waiting.start();
        while (waiting.getState() != Thread.State.WAITING && !next.isDone()) {
            Thread.onSpinWait();
        }
        assertEquals(1, log.toString().lines().count(), log.toString());
        running.pop().close();
        running.push(next.get());
        assertEquals(1, log.toString().lines().count(), log.toString());
    }

    @Test
    void otherAgentDoesNotWait() throws Exception {
        running.push(AgentTurn.await("idle", lines));
        assertEquals("", log.toString());
    }

    @Test
    void waitCanBeAborted() {
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> AgentTurn.await("busy", lines));
    }
}
