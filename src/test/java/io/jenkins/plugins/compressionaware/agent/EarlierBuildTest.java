package io.jenkins.plugins.compressionaware.agent;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class EarlierBuildTest {
    /** What it has found when the disk answers at last is closed. */
    @Test
    @Timeout(20)
    void anAbortDoesNotWaitForADiskThatDoesNotAnswer() throws Exception {
        CountDownLatch answers = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        Closeable found = closed::countDown;
        Thread.currentThread().interrupt();
        assertThrows(
                InterruptedException.class,
                () -> EarlierBuild.aside(
                        () -> {
                            awaitInKernel(answers);
                            return found;
                        },
                        work -> new Thread(work).start()));
        assertFalse(closed.await(100, TimeUnit.MILLISECONDS), "it is not there yet");
        answers.countDown();
        assertTrue(closed.await(10, TimeUnit.SECONDS));
    }

    /** As a thread does that waits for a disk: nothing interrupts it. */
    private static void awaitInKernel(CountDownLatch answers) {
        boolean answered = false;
        while (!answered) {
            try {
                answers.await();
                answered = true;
            } catch (InterruptedException e) {
                // goes on
            }
        }
    }

    @Test
    void allIsSentIfTheDiskFails() throws Exception {
        assertNull(EarlierBuild.<Closeable>aside(
                () -> {
                    throw new IOException("broken");
                },
                Runnable::run));
    }
}
