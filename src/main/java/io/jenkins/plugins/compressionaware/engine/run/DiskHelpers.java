package io.jenkins.plugins.compressionaware.engine.run;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Threads and heap that help a transfer's own thread if the disk is slow.
 *
 * @param executor runs workers, which process one file after the other; may reject some. The executor's threads must not be interrupted, because that would
 *     close the file being written
 * @param heap     holds the contents of files that wait for a worker
 */
@Restricted(NoExternalUse.class)
public record DiskHelpers(Executor executor, HeapQuota heap) {
    /** Provides no help, so that the transfer's own thread does all work. */
    public static final DiskHelpers NONE = new DiskHelpers(
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
                    // nothing was reserved
                }
            });

    /** A limited amount of heap. Thread-safe. */
    public interface HeapQuota {
        /** Reserves heap. Returns false, and reserves nothing, if not enough is free. */
        boolean tryReserve(long bytes);

        void release(long bytes);
    }
}
