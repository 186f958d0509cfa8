package io.jenkins.plugins.compressionaware.engine.flow;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Flow control of a transfer. The receiver grants a cumulative number of heap bytes, at most {@link #WINDOW} more than it has consumed; the sender transmits a
 * frame only if the frame fits within the grant. A grant is sent as one big-endian long: the bytes of heap, by {@link #heapCost}, that all frames since the
 * start may occupy, which never decrease. The receiver can therefore accept every frame without blocking Remoting's thread for streams, and its memory stays
 * bounded.
 */
@Restricted(NoExternalUse.class)
public final class Credit {
    /** Unacknowledged bytes that Remoting allows per stream, {@code hudson.remoting.Channel#pipeWindowSize} in the supported versions. */
    public static final int STREAM_WINDOW = 1 << 20;

    /** Bytes granted ahead at most: twice the windows of eight Remoting streams, so that on a long link those windows are the limit. */
    public static final int WINDOW = 2 * 8 * STREAM_WINDOW;

    /** Bytes of heap that a queued frame needs besides its own: array header, two records, map key and map node. At most 220 on a 64-bit JVM. */
    private static final int FRAME_OVERHEAD = 256;

    private Credit() {}

    /** Returns the bytes of heap that a frame occupies at the receiver. Both ends calculate with this number. */
    public static long heapCost(int frameLength) {
        return (long) frameLength + FRAME_OVERHEAD;
    }
}
