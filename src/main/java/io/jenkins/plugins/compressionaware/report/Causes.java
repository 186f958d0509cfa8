package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.ChannelClosedException;
import hudson.remoting.RequestAbortedException;
import java.nio.file.FileSystemException;
import java.util.Objects;
import java.util.stream.Stream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** A failure and its causes. */
@Restricted(NoExternalUse.class)
public final class Causes {
    /** Maximum length of a chain of causes. An exception from an agent is not trusted, so its chain may be cyclic. */
    private static final int MAX_CAUSES = 100;

    private Causes() {}

    /** Returns the failure and its causes, outermost first; empty for null. */
    public static Stream<Throwable> of(@CheckForNull Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).limit(MAX_CAUSES);
    }

    /** Returns the exception with which Remoting reports a lost connection to the agent, among a failure and its causes; null if there is none. */
    @CheckForNull
    public static Throwable lostConnection(@CheckForNull Throwable failure) {
        return of(failure)
                .filter(cause -> cause instanceof ChannelClosedException || cause instanceof RequestAbortedException)
                .findFirst()
                .orElse(null);
    }

    /** Returns the message of a failure; with its class if the message is only the name of a file. */
    public static String reason(Throwable failure) {
        if (failure instanceof OutOfMemoryError) {
            return "the JVM is out of memory: " + failure.getMessage();
        }
        boolean isName = failure instanceof FileSystemException file && file.getReason() == null;
        return failure.getMessage() == null || isName ? failure.toString() : failure.getMessage();
    }
}
