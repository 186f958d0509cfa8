package io.jenkins.plugins.compressionaware.report;

import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The work of a transfer or a step. */
@FunctionalInterface
@Restricted(NoExternalUse.class)
public interface Work<R> {
    R run() throws IOException, InterruptedException;

    /** Runs the work, and converts exceptions that an interrupt of file I/O or of a Remoting request causes into {@link InterruptedException}. */
    default R runUnwrapped() throws IOException, InterruptedException {
        try {
            return run();
        } catch (InterruptedIOException | ClosedByInterruptException e) {
            Thread.interrupted();
            throw Tasks.interrupted("Interrupted during a transfer", e);
        } catch (RuntimeException e) {
            if (e.getCause() instanceof InterruptedException) {
                throw Tasks.interrupted("Interrupted during a transfer", e);
            }
            throw e;
        }
    }
}
