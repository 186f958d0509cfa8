package io.jenkins.plugins.compressionaware.report;

import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The work of a transfer or a step. */
@FunctionalInterface
@Restricted(NoExternalUse.class)
public interface Work<R> {
    R run() throws IOException, InterruptedException;
}
