package io.jenkins.plugins.compressionaware.packed;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import hudson.model.Computer;
import hudson.model.Job;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Turns the packed artifacts of one job at a time back into files, in the background, and keeps the last lines about it. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class UnpackTask {
    private static final int LINES = 20;

    @GuardedBy("this")
    private final Deque<String> lines = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean running;

    /** Returns the last lines, the newest first. */
    public synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    private synchronized void add(String line) {
        lines.addFirst(line);
        if (lines.size() > LINES) {
            lines.removeLast();
        }
    }

    /** Starts to unpack a job, unless one is being unpacked. Must be called by an administrator. */
    public synchronized void start(String fullName) {
        Job<?, ?> job = Jenkins.get().getItemByFullName(fullName, Job.class);
        if (job == null) {
            add(Messages.UnpackArtifactsCommand_noJob(fullName));
        } else if (!running) {
            Computer.threadPoolForRemoting.execute(() -> run(job));
            running = true;
        }
    }

    private void run(Job<?, ?> job) {
        try {
            int failures = UnpackArtifactsCommand.unpack(job, this::add, this::add);
            add(Messages.UnpackTask_ended(job.getFullName(), failures));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            synchronized (this) {
                running = false;
            }
        }
    }
}
