package io.jenkins.plugins.compressionaware.engine.flow;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The receiver of a stored file asks for these bytes of it, over this lane. Each lane brings exactly what was ordered from it, in that order, so no
 * other credit is needed.
 *
 * @param lane     number of the lane, from 0
 * @param position first byte, counted from the start of the file
 * @param length   bytes, at least 1
 */
@Restricted(NoExternalUse.class)
public record RangeRequest(int lane, long position, int length) {
    /** Length of a message. */
    public static final int BYTES = 2 * Integer.BYTES + Long.BYTES;

    /** Reads the next message of a stream. */
    public static RangeRequest read(DataInputStream in) throws IOException {
        return new RangeRequest(in.readInt(), in.readLong(), in.readInt());
    }

    /** The message as it is sent. */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putInt(lane)
                .putLong(position)
                .putInt(length)
                .array();
    }
}
