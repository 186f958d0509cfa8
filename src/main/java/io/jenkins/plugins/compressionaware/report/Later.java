package io.jenkins.plugins.compressionaware.report;

import hudson.model.Computer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import jenkins.util.Timer;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** What may wait for a disk, some time later: the timer's few threads are no place for that. */
@Restricted(NoExternalUse.class)
public final class Later {
    private Later() {}

    /** @param refused is run instead if there is no thread to be had, now or then */
    public static void run(int seconds, Runnable task, Runnable refused) {
        try {
            Timer.get().schedule(() -> begin(task, refused), seconds, TimeUnit.SECONDS);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            refused.run();
        }
    }

    private static void begin(Runnable task, Runnable refused) {
        try {
            Computer.threadPoolForRemoting.execute(task);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            refused.run();
        }
    }
}
