package io.jenkins.plugins.compressionaware.tar;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Helps for a transfer beside its own thread, where a disk answers slowly.
 *
 * @param executor runs what works on one file after the other; may refuse, which means that fewer work. None of its threads may be interrupted while they work:
 *     a file that is being written would be closed
 * @param heap     for the contents of files that wait for them
 */
@Restricted(NoExternalUse.class)
public record Helpers(Executor executor, Heap heap) {
    /** Leaves all to the transfer's own thread. */
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

    /** Any thread may call it. */
    public interface Heap {
        /** @return whether there is as much; if not, nothing has been taken */
        boolean take(long bytes);

        void giveBack(long bytes);
    }
}
