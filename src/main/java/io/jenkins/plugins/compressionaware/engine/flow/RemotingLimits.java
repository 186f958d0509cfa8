package io.jenkins.plugins.compressionaware.engine.flow;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Limits of Remoting from which transfers derive their own limits. */
@Restricted(NoExternalUse.class)
public final class RemotingLimits {
    /** Unacknowledged bytes that Remoting allows per stream, {@code hudson.remoting.Channel#pipeWindowSize} in the supported versions. */
    public static final int STREAM_WINDOW = 1 << 20;

    private RemotingLimits() {}
}
