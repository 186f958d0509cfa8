package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
            running.push(AgentTurn.await("busy", "job " + i / AgentTurn.MAX_OF_JOB, lines));
        }
    }

    @AfterEach
    void end() {
        running.forEach(AgentTurn::close);
    }

    private FutureTask<AgentTurn> waiting(String agent, String job) {
        FutureTask<AgentTurn> next = new FutureTask<>(() -> AgentTurn.await(agent, job, lines));
        long logged = logged();
        Thread waiting = new Thread(next);
        waiting.start();
        while (waiting.getState() != Thread.State.WAITING && !next.isDone()) {
            Thread.onSpinWait();
        }
        assertEquals(logged + 1, logged(), log.toString());
        assertFalse(next.isDone());
        return next;
    }

    private long logged() {
        return log.toString().lines().count();
    }

    @Test
    void furtherTransferOfAgentWaits() throws Exception {
        assertEquals("", log.toString());
        FutureTask<AgentTurn> next = waiting("busy", "new");
        running.pop().close();
        running.push(next.get());
        assertEquals(1, logged(), log.toString());
    }

    /** Its transfers may hang, for example in reads of the agent's disk. Further ones that wait must not take the turns of other jobs. */
    @Test
    void jobLeavesHalfOfTurnsToOtherJobs() throws Exception {
        for (int i = 0; i < AgentTurn.MAX_OF_JOB; i++) {
            running.push(AgentTurn.await("idle", "many", lines));
        }
        Deque<FutureTask<AgentTurn>> next = new ArrayDeque<>();
        for (int i = 0; i < AgentTurn.MAX_OF_JOB; i++) {
            next.push(waiting("idle", "many"));
        }
        AgentTurn.await("idle", "other", lines).close();
        next.forEach(each -> running.pop().close());
        for (FutureTask<AgentTurn> each : next) {
            running.push(each.get());
        }
        assertEquals(AgentTurn.MAX_OF_JOB, logged(), log.toString());
    }

    @Test
    void abortedWaitKeepsNothing() throws Exception {
        for (int i = 0; i < AgentTurn.MAX_OF_JOB; i++) {
            Thread.currentThread().interrupt();
            assertThrows(InterruptedException.class, () -> AgentTurn.await("busy", "aborted", lines));
        }
        running.pop().close();
        running.push(AgentTurn.await("busy", "aborted", lines));
    }

    @Test
    void otherAgentDoesNotWait() throws Exception {
        running.push(AgentTurn.await("idle", "new", lines));
        assertEquals("", log.toString());
    }
}
