package io.jenkins.plugins.compressionaware.provisioning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.testing.RefusingExecutor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A command is sent once, even if its executor loses the first task. */
@Timeout(10)
class UninterruptedCommandTest {
    private final AtomicInteger sent = new AtomicInteger();

    /** Loses the first task, and runs the others. */
    private final List<Runnable> lost = new ArrayList<>();

    private void loseFirst(Runnable task) {
        if (lost.isEmpty()) {
            lost.add(task);
        } else {
            task.run();
        }
    }

    @Test
    void lostCommandIsSubmittedAgainAndSentOnce() throws Exception {
        CompletableFuture<Integer> command =
                UninterruptedCommand.submit("agent", sent::incrementAndGet, this::loseFirst);
        assertEquals(1, UninterruptedCommand.await(command, 0));
        lost.get(0).run();
        UninterruptedCommand.submitAgain(command);
        assertEquals(1, sent.get());
    }

    /** The system refuses threads, so that the interrupted thread itself would have to write to the channel. */
    @Test
    void interruptedThreadSendsNothing() {
        Thread.currentThread().interrupt();
        CompletableFuture<Integer> command =
                UninterruptedCommand.submit("agent", sent::incrementAndGet, RefusingExecutor::refuse);
        assertThrows(InterruptedException.class, () -> UninterruptedCommand.await(command));
        assertEquals(0, sent.get());
        assertFalse(Thread.interrupted());
    }

    @Test
    void failureOfLostCommandIsThrown() {
        CompletableFuture<Integer> command = UninterruptedCommand.submit(
                "agent",
                () -> {
                    throw new IOException("the agent is gone");
                },
                this::loseFirst);
        assertEquals(
                "the agent is gone",
                assertThrows(IOException.class, () -> UninterruptedCommand.await(command, 0))
                        .getMessage());
    }

    /** An agent that is not trusted answers no call, and its builds are aborted again and again. */
    @Test
    void silentAgentKeepsLimitedNumberOfThreads() throws Exception {
        List<Runnable> threads = new ArrayList<>();
        List<CompletableFuture<Integer>> commands = new ArrayList<>();
        for (int i = 0; i <= UninterruptedCommand.MAX_COMMANDS; i++) {
            commands.add(UninterruptedCommand.submit("silent", sent::incrementAndGet, threads::add));
        }
        assertEquals(UninterruptedCommand.MAX_COMMANDS, threads.size());
        CompletableFuture<Integer> refused = commands.get(UninterruptedCommand.MAX_COMMANDS);
        assertThrows(IOException.class, () -> UninterruptedCommand.await(refused));
        assertEquals(1, UninterruptedCommand.await(UninterruptedCommand.submit("other", () -> 1, Runnable::run)));
        threads.get(0).run();
        assertEquals(2, UninterruptedCommand.await(UninterruptedCommand.submit("silent", () -> 2, Runnable::run)));
        threads.forEach(Runnable::run);
    }

    @Test
    void waitForAnswerEnds() {
        CompletableFuture<Integer> never = new CompletableFuture<>();
        assertEquals(
                "The agent has not answered for a day",
                assertThrows(IOException.class, () -> UninterruptedCommand.await(never, 0))
                        .getMessage());
    }
}
