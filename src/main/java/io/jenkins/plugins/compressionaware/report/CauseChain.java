package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.util.Objects;
import java.util.stream.Stream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Iterates over the causes of an exception. An exception from an agent is not trusted, so its chain of causes may be cyclic. */
@Restricted(NoExternalUse.class)
public final class CauseChain {
    private static final int MAX_DEPTH = 100;

    private CauseChain() {}

    /** Returns the failure and its causes, outermost first; empty for null. */
    public static Stream<Throwable> of(@CheckForNull Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).limit(MAX_DEPTH);
    }
}
