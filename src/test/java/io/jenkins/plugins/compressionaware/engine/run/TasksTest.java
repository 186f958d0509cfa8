package io.jenkins.plugins.compressionaware.engine.run;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TasksTest {
    /** If reading is slower than compressing, every block is done when a loop waits for it. */
    @Test
    void interruptEndsLoopOverFinishedTasks() {
        Thread.currentThread().interrupt();
        assertThrows(
                InterruptedException.class,
                () -> Tasks.awaitOrRun(CompletableFuture.completedFuture("a finished task")));
        assertFalse(Thread.interrupted());
    }
}
