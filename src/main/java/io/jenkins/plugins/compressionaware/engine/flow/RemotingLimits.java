package io.jenkins.plugins.compressionaware.engine.flow;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Limits of Remoting that transfers calculate with. */
@Restricted(NoExternalUse.class)
public final class RemotingLimits {
    /** Unacknowledged bytes per stream, hudson.remoting.Channel#pipeWindowSize of the versions in use. */
    public static final int STREAM_WINDOW = 1 << 20;

    private RemotingLimits() {}
}
