package io.jenkins.plugins.compressionaware.engine.flow;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Flow control between the two ends. The receiver grants heap for all frames since the start, at most {@link #WINDOW} beyond those that it has
 * consumed. The sender sends a frame only when it fits. The receiver can therefore accept every chunk without blocking remoting's one thread for all
 * streams, and its memory stays bounded.
 */
@Restricted(NoExternalUse.class)
public final class Credit {
    /** Bytes that one transfer may be ahead: twice the windows of eight remoting streams, so that those are the limit on a long link. */
    public static final int WINDOW = 2 * 8 * RemotingLimits.STREAM_WINDOW;

    /**
     * Bytes of heap that a waiting frame needs besides its own bytes: the array's header and padding, the two records, the key and the node in the
     * map. 170 bytes on a 64-bit HotSpot, 220 where references have eight bytes.
     */
    private static final int FRAME_OVERHEAD = 256;

    private Credit() {}

    /** Bytes of heap that a frame takes up at the receiver. Both ends count alike. */
    public static long heapCost(int frameLength) {
        return (long) frameLength + FRAME_OVERHEAD;
    }

    /**
     * The receiver's message.
     *
     * @param limit bytes that all frames since the start may take up, by {@link #heapOf}; never less than before
     */
    public record Grant(long limit) {
        /** Length of a message. */
        public static final int BYTES = Long.BYTES;

        /** Reads the next message of a stream. */
        public static Grant read(DataInputStream in) throws IOException {
            return new Grant(in.readLong());
        }

        /** The message as it is sent. */
        public byte[] toBytes() {
            return ByteBuffer.allocate(BYTES).putLong(limit).array();
        }
    }
}
