package io.jenkins.plugins.compressionaware.ui;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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

/** The page "Artifact transfer test" of an agent, for users who may configure the agent. Starts a {@link TransferMeasurement} and shows its results. */
@Restricted(NoExternalUse.class)
public record TransferMeasurementAction(Computer computer, Factory tests) implements Action, StaplerProxy {
    @CheckForNull
    @Override
    public String getIconFileName() {
        return computer.hasPermission(Computer.CONFIGURE) ? "symbol-flask" : null;
    }

    @Override
    public String getDisplayName() {
        return Messages.TransferMeasurementAction_displayName();
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

    /** Returns the running test, or the last one since Jenkins started; null if there is none. */
    @CheckForNull
    public TransferMeasurement getTest() {
        return tests.last(computer);
    }

    /** Returns the reason why the agent cannot be tested; null if it can. */
    @CheckForNull
    public String getUnavailableReason() {
        if (computer instanceof Jenkins.MasterComputer) {
            return Messages.TransferMeasurementAction_builtIn();
        }
        return computer.isOffline() ? Messages.TransferMeasurementAction_offline() : null;
    }

    @POST
    public HttpResponse doStart() {
        computer.checkPermission(Computer.CONFIGURE);
        if (getUnavailableReason() == null) {
            tests.start(computer);
        }
        return HttpResponses.redirectToDot();
    }

    /** Keeps the last test of each agent. Tests run one at a time because concurrent tests would distort each other. */
    @Extension
    public static final class Factory extends TransientComputerActionFactory {
        @GuardedBy("this")
        private final Map<Computer, TransferMeasurement> last = new WeakHashMap<>();

        private final Executor executor;

        public Factory() {
            this(oneThread());
        }

        Factory(Executor executor) {
            this.executor = executor;
        }

        @NonNull
        @Override
        public Collection<? extends Action> createFor(@NonNull Computer computer) {
            return List.of(new TransferMeasurementAction(computer, this));
        }

        synchronized TransferMeasurement last(Computer computer) {
            return last.get(computer);
        }

        synchronized void start(Computer computer) {
            TransferMeasurement before = last.get(computer);
            if (before == null || !before.isRunning()) {
                TransferMeasurement test = new TransferMeasurement(TransferMeasurement.TIME_LIMIT);
                // may fail for lack of a thread; the test is recorded only after it was accepted
                executor.execute(() -> test.run(computer));
                last.put(computer, test);
            }
        }

        private static Executor oneThread() {
            ThreadPoolExecutor executor = new ThreadPoolExecutor(
                    1,
                    1,
                    1,
                    TimeUnit.MINUTES,
                    new LinkedBlockingQueue<>(),
                    new NamingThreadFactory(new DaemonThreadFactory(), "artifact transfer test"));
            executor.allowCoreThreadTimeOut(true);
            return executor;
        }
    }
}
