package io.jenkins.plugins.compressionaware.testing;

import java.util.concurrent.RejectedExecutionException;

/** No help: the transfer's own thread does everything. */
public final class Alone {
    private Alone() {}

    public static void refuse(Runnable task) {
        throw new RejectedExecutionException();
    }
}
