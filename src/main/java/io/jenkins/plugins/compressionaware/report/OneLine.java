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
    public interface Work<R> {
        R run() throws IOException, InterruptedException;
    }

    /**
     * Does the work of a step. What it throws has no stack trace, since Pipeline and Copy Artifact print one even then.
     *
     * @throws AbortException in place of a failure that is no fault in a program
     */
    public static <R> R of(Work<R> work) throws IOException, InterruptedException {
        try {
            return work.run();
        } catch (AbortException e) {
            throw e;
        } catch (InterruptedException e) {
            LOGGER.log(Level.FINE, "A step was aborted", e);
            throw traceless(new InterruptedException("The transfer was interrupted"));
        } catch (IOException | InvalidPathException e) {
            if (Causes.of(e).anyMatch(OneLine::isFault)) {
                throw e;
            }
            LOGGER.log(Level.FINE, "A step failed", e);
            throw traceless(new AbortException(LogLine.oneLine(reason(e))));
        }
    }

    private static <E extends Exception> E traceless(E shown) {
        shown.setStackTrace(new StackTraceElement[0]);
        return shown;
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
