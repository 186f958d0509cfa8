package io.jenkins.plugins.compressionaware.testkit;

import io.jenkins.plugins.compressionaware.tar.Helpers;
import java.util.concurrent.RejectedExecutionException;

/** No help: the transfer's own thread does everything. */
public final class Alone {
    public static final Helpers HELPERS = new Helpers(Alone::refuse, new Helpers.Heap() {
        @Override
        public boolean take(long bytes) {
            return false;
        }

        @Override
        public void giveBack(long bytes) {
            // nothing was taken
        }
    });

    private Alone() {}

    public static void refuse(Runnable task) {
        throw new RejectedExecutionException();
    }
}
