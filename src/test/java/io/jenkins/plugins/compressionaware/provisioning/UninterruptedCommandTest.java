package io.jenkins.plugins.compressionaware.provisioning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A command is sent once, by a thread of the executor or by the thread that waits for it. */
@Timeout(10)
class UninterruptedCommandTest {
    private final AtomicInteger sent = new AtomicInteger();

    @Test
    void waitingThreadSendsLostCommandOnce() throws Exception {
        List<Runnable> late = new ArrayList<>();
        CompletableFuture<Integer> command = UninterruptedCommand.submit(sent::incrementAndGet, late::add);
        assertEquals(1, UninterruptedCommand.await(command, 0));
        late.get(0).run();
        assertEquals(1, sent.get());
    }

    @Test
    void failureOfLostCommandIsThrown() {
        CompletableFuture<Integer> command = UninterruptedCommand.submit(
                () -> {
                    throw new IOException("the agent is gone");
                },
                task -> {});
        assertEquals(
                "the agent is gone",
                assertThrows(IOException.class, () -> UninterruptedCommand.await(command, 0))
                        .getMessage());
    }
}
