package io.jenkins.plugins.compressionaware.transfer;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Flow control between the two ends: the receiver tells how many bytes it has consumed since the start, and the sender is never
 * more than {@link #WINDOW} ahead of that. So the receiver can take every chunk at once, without ever holding up the
 * thread that reads the channel, and its memory stays bounded.
 */
public final class Credit {
    /** Bytes in flight at most: twice the windows of eight remoting streams, so that these are what counts on a long link. */
    public static final int WINDOW = 16 << 20;

    private Credit() {}

    /**
     * What the receiver says, counted since its start.
     *
     * @param wireBytes    bytes of the frames it has consumed
     * @param rawBytes     bytes of their blocks
     * @param waitingNanos time in which it had no frame to work on
     * @param elapsedNanos time since the first frame
     */
    public record Grant(long wireBytes, long rawBytes, long waitingNanos, long elapsedNanos) {
        /** Of a message. */
        public static final int BYTES = 4 * Long.BYTES;

        /** The next message of a stream. */
        public static Grant read(DataInputStream in) throws IOException {
            return new Grant(in.readLong(), in.readLong(), in.readLong(), in.readLong());
        }

        /** As it is sent. */
        public byte[] toBytes() {
            return ByteBuffer.allocate(BYTES)
                    .putLong(wireBytes)
                    .putLong(rawBytes)
                    .putLong(waitingNanos)
                    .putLong(elapsedNanos)
                    .array();
        }
    }
}
