package io.jenkins.plugins.compressionaware.ui;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Extension;
import hudson.model.Action;
import hudson.model.Computer;
import hudson.model.TransientComputerActionFactory;
import hudson.util.DaemonThreadFactory;
import hudson.util.NamingThreadFactory;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.HttpResponse;
import org.kohsuke.stapler.HttpResponses;
import org.kohsuke.stapler.StaplerProxy;
import org.kohsuke.stapler.verb.POST;

/** On an agent's page, for anyone who may configure it: compares Jenkins itself and each codec by archiving a sample. */
@Restricted(NoExternalUse.class)
public final class SpeedTestAction implements Action, StaplerProxy {
    private final Computer computer;
    private final Factory trials;

    SpeedTestAction(Computer computer, Factory trials) {
        this.computer = computer;
        this.trials = trials;
    }

    @CheckForNull
    @Override
    public String getIconFileName() {
        return computer.hasPermission(Computer.CONFIGURE) ? "symbol-flask" : null;
    }

    @Override
    public String getDisplayName() {
        return Messages.SpeedTestAction_displayName();
    }

    @Override
    public String getUrlName() {
        return "artifact-transfer";
    }

    @Override
    public Object getTarget() {
        computer.checkPermission(Computer.CONFIGURE);
        return this;
    }

    /** For the page. */
    public Computer getComputer() {
        return computer;
    }

    /** The running trial, or the last one since Jenkins started; null if there is none. */
    @CheckForNull
    public SpeedTest getTrial() {
        return trials.last(computer);
    }

    /** Why nothing can be measured; null if it can. */
    @CheckForNull
    public String getUnavailableReason() {
        if (computer instanceof Jenkins.MasterComputer) {
            return Messages.SpeedTestAction_builtIn();
        }
        return computer.isOffline() ? Messages.SpeedTestAction_offline() : null;
    }

    @POST
    public HttpResponse doStart() {
        computer.checkPermission(Computer.CONFIGURE);
        if (getUnavailableReason() == null) {
            trials.start(computer);
        }
        return HttpResponses.redirectToDot();
    }

    /** Keeps the last trial of each agent. Trials run one at a time, since two would distort each other. */
    @Extension
    public static final class Factory extends TransientComputerActionFactory {
        private final Map<Computer, SpeedTest> last = new WeakHashMap<>();
        private final Executor executor;

        public Factory() {
            this(oneThread());
        }

        /** @param executor runs one trial at a time */
        Factory(Executor executor) {
            this.executor = executor;
        }

        @NonNull
        @Override
        public Collection<? extends Action> createFor(@NonNull Computer computer) {
            return List.of(new SpeedTestAction(computer, this));
        }

        synchronized SpeedTest last(Computer computer) {
            return last.get(computer);
        }

        synchronized void start(Computer computer) {
            SpeedTest before = last.get(computer);
            if (before == null || !before.isRunning()) {
                SpeedTest trial = new SpeedTest();
                // first, since there may be no thread for it
                executor.execute(() -> trial.run(computer));
                last.put(computer, trial);
            }
        }

        private static Executor oneThread() {
            ThreadPoolExecutor executor = new ThreadPoolExecutor(
                    1,
                    1,
                    1,
                    TimeUnit.MINUTES,
                    new LinkedBlockingQueue<>(),
                    new NamingThreadFactory(new DaemonThreadFactory(), "artifact transfer trial"));
            executor.allowCoreThreadTimeOut(true);
            return executor;
        }
    }
}
