package io.jenkins.plugins.compressionaware.report;

import hudson.AbortException;
import hudson.remoting.RequestAbortedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.tools.ant.BuildException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Turns the failures of a step into one line of the build log each, as Jenkins' own steps do. Only a fault in a program keeps its stack trace there; the
 * others have theirs in this class's log at level FINE.
 */
@Restricted(NoExternalUse.class)
public final class OneLine {
    private static final Logger LOGGER = Logger.getLogger(OneLine.class.getName());

    private OneLine() {}

    @FunctionalInterface
    public interface Work {
        void run() throws IOException, InterruptedException;
    }

    /**
     * Does the work of a step.
     *
     * @throws AbortException       in place of a failure that is no fault in a program
     * @throws InterruptedException without a stack trace: Pipeline prints it with the cause of the abort
     */
    public static void run(Work work) throws IOException, InterruptedException {
        try {
            work.run();
        } catch (AbortException e) {
            throw e;
        } catch (InterruptedException e) {
            LOGGER.log(Level.FINE, "A step was aborted", e);
            InterruptedException aborted = new InterruptedException("The transfer was interrupted");
            aborted.setStackTrace(new StackTraceElement[0]);
            throw aborted;
        } catch (IOException | InvalidPathException e) {
            if (Causes.of(e).anyMatch(OneLine::isFault)) {
                throw e;
            }
            LOGGER.log(Level.FINE, "A step failed", e);
            throw (IOException) new AbortException(LogLine.oneLine(reason(e))).initCause(e);
        }
    }

    /** Not for what says that an agent was lost, a pattern of a stash is wrong, or a disk or a name is at fault. */
    private static boolean isFault(Throwable cause) {
        return cause instanceof Error
                || cause instanceof RuntimeException
                        && !(cause instanceof RequestAbortedException
                                || cause instanceof BuildException
                                || cause instanceof UncheckedIOException
                                || cause instanceof InvalidPathException);
    }

    private static String reason(Exception e) {
        boolean isName = e instanceof FileSystemException file && file.getReason() == null;
        return e.getMessage() == null || isName ? e.toString() : e.getMessage();
    }
}
