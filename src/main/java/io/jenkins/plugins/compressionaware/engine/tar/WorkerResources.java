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
public record WorkerResources(Executor executor, HeapQuota heap) {
    /** No help: leaves everything to the transfer's own thread. */
    public static final WorkerResources NONE = new WorkerResources(
            task -> {
                throw new RejectedExecutionException();
            },
            new HeapQuota() {
                @Override
                public boolean tryReserve(long bytes) {
                    return false;
                }

                @Override
                public void release(long bytes) {
                    // nothing was taken
                }
            });

    /** A limited amount of heap. Any thread may call it. */
    public interface HeapQuota {
        /** @return whether that much is free; if not, nothing has been taken */
        boolean tryReserve(long bytes);

        void release(long bytes);
    }
}
