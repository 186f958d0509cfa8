package io.jenkins.plugins.compressionaware.engine.flow;

/** Limits of Remoting that transfers calculate with. */
public final class RemotingLimits {
    /** Unacknowledged bytes per stream, hudson.remoting.Channel#pipeWindowSize of the versions in use. */
    public static final int STREAM_WINDOW = 1 << 20;

    private RemotingLimits() {}
}
