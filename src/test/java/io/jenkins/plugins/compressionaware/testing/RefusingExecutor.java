package io.jenkins.plugins.compressionaware.testing;

import java.util.concurrent.RejectedExecutionException;

/** An executor that rejects all tasks, so that the transfer's own thread executes them. */
public final class RefusingExecutor {
    private RefusingExecutor() {}

    public static void refuse(Runnable task) {
        throw new RejectedExecutionException();
    }
}
