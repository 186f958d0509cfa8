package io.jenkins.plugins.compressionaware.engine.tar;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Help for a transfer's own thread where a disk answers slowly.
 *
 * @param executor runs workers, each of which handles one file after the other; may refuse, so that fewer work. Its threads must not be interrupted while they
 *     work: a file that is being written would be closed
 * @param heap     for the contents of files that wait for a worker
 */
@Restricted(NoExternalUse.class)
public record Helpers(Executor executor, Heap heap) {
    /** No help: leaves everything to the transfer's own thread. */
    public static final Helpers NONE = new Helpers(
            task -> {
                throw new RejectedExecutionException();
            },
            new Heap() {
                @Override
                public boolean take(long bytes) {
                    return false;
                }

                @Override
                public void giveBack(long bytes) {
                    // nothing was taken
                }
            });

    /** A limited amount of heap. Any thread may call it. */
    public interface Heap {
        /** @return whether that much is free; if not, nothing has been taken */
        boolean take(long bytes);

        void giveBack(long bytes);
    }
}
