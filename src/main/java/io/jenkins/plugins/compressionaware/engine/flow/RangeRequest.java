package io.jenkins.plugins.compressionaware.engine.flow;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Requests a range of a frame file over one lane. Each lane delivers exactly the ranges requested from it, in the order of the requests, so downloads need no
 * other flow control.
 *
 * @param lane     number of the lane that delivers the range, from 0
 * @param position position of the first byte in the file
 * @param length   number of bytes, at least 1
 * @param complete number of entries of the tar before the first incomplete file, for a transfer that continues after a lost connection
 */
@Restricted(NoExternalUse.class)
public record RangeRequest(int lane, long position, int length, int complete) {
    /** Length of a message, bytes. */
    public static final int BYTES = 3 * Integer.BYTES + Long.BYTES;

    public static RangeRequest read(DataInputStream in) throws IOException {
        return new RangeRequest(in.readInt(), in.readLong(), in.readInt(), in.readInt());
    }

    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putInt(lane)
                .putLong(position)
                .putInt(length)
                .putInt(complete)
                .array();
    }
}
