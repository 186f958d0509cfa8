package io.jenkins.plugins.compressionaware.report;

import hudson.model.Computer;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import java.util.concurrent.TimeUnit;
import jenkins.util.Timer;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Runs blocking tasks after a delay. The tasks run on pool threads because Jenkins' timer has few threads. */
@Restricted(NoExternalUse.class)
public final class DelayedExecutor {
    private DelayedExecutor() {}

    /**
     * Schedules a task.
     *
     * @param refused runs instead of the task if no thread is available, now or after the delay
     */
    public static void schedule(int seconds, Runnable task, Runnable refused) {
        if (!Tasks.begin(work -> Timer.get().schedule(work, seconds, TimeUnit.SECONDS), () -> begin(task, refused))) {
            refused.run();
        }
    }

    private static void begin(Runnable task, Runnable refused) {
        if (!Tasks.begin(Computer.threadPoolForRemoting, task)) {
            refused.run();
        }
    }
}
