package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.util.Objects;
import java.util.stream.Stream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The causes of a failed transfer. Agents control their exceptions, so these may form a circle. */
@Restricted(NoExternalUse.class)
public final class CauseChain {
    /** Most causes that are followed. */
    private static final int MAX_DEPTH = 100;

    private CauseChain() {}

    /** A failure, its cause, the cause of that, and so on. */
    public static Stream<Throwable> of(@CheckForNull Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).limit(MAX_DEPTH);
    }
}
