package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.FilePath;
import hudson.Launcher;
import hudson.Proc;
import hudson.model.BuildListener;
import hudson.model.TaskListener;
import hudson.remoting.Channel;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Map;

/**
 * Passes a step's settings to the archive calls in its body, which receive a launcher but not the step's context or environment. The settings are attached
 * to the launcher's listener because launchers that other plugins wrap around this one keep the listener.
 */
final class OverrideCarryingLauncher extends Launcher.DecoratedLauncher {
    private final Launcher inner;

    OverrideCarryingLauncher(Launcher inner, TransferOverride choice) {
        super(new WithListener(
                inner, new ChoosingListener(inner.getListener(), choice.inheritFrom(overrideIn(inner)))));
        this.inner = inner;
    }

    /** Returns the settings of the innermost step around a launcher. */
    static TransferOverride overrideIn(@CheckForNull Launcher launcher) {
        return launcher != null && launcher.getListener() instanceof ChoosingListener listener
                ? listener.choice
                : TransferOverride.NONE;
    }

    @NonNull
    @Override
    public Launcher getInner() {
        return inner;
    }

    /** Sets the listener field of {@link Launcher}, which the copy constructor of {@link Launcher} reads directly. */
    private static final class WithListener extends Launcher {
        private final Launcher inner;

        WithListener(Launcher inner, TaskListener listener) {
            super(listener, inner.getChannel());
            this.inner = inner;
        }

        @Override
        public Proc launch(@NonNull ProcStarter starter) throws IOException {
            return inner.launch(starter);
        }

        @Override
        public Channel launchChannel(
                @NonNull String[] command, @NonNull OutputStream out, FilePath folder, @NonNull Map<String, String> env)
                throws IOException, InterruptedException {
            return inner.launchChannel(command, out, folder, env);
        }

        @Override
        public void kill(Map<String, String> environment) throws IOException, InterruptedException {
            inner.kill(environment);
        }

        @Override
        public boolean isUnix() {
            return inner.isUnix();
        }
    }

    /** Is a {@link BuildListener} because some plugins cast the listener of a build's launcher to that type. */
    private record ChoosingListener(TaskListener listener, TransferOverride choice) implements BuildListener {
        @NonNull
        @Override
        public PrintStream getLogger() {
            return listener.getLogger();
        }

        // agents need only the inner listener
        private Object writeReplace() {
            return listener;
        }
    }
}
