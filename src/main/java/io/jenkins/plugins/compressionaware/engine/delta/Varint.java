package io.jenkins.plugins.compressionaware.engine.delta;

import io.jenkins.plugins.compressionaware.engine.tar.EntryRejectedException;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** Encodes numbers that are mostly small: seven bits per byte, lowest first, as in LEB128. */
final class Varint {
    private static final int BITS = 7;
    private static final int MORE = 0x80;

    private Varint() {}

    /** @param number not negative */
    static void write(DataOutput out, long number) throws IOException {
        long left = number;
        while (left >= MORE) {
            out.write((int) left & MORE - 1 | MORE);
            left >>>= BITS;
        }
        out.write((int) left);
    }

    static int length(long number) {
        return (Long.SIZE - Long.numberOfLeadingZeros(number | 1) + BITS - 1) / BITS;
    }

    static long read(DataInput in) throws IOException {
        long number = 0;
        for (int shift = 0; shift < Long.SIZE - 1; shift += BITS) {
            int next = in.readUnsignedByte();
            number |= (long) (next & MORE - 1) << shift;
            if (next < MORE) {
                return number;
            }
        }
        throw new EntryRejectedException("a number in the delta does not end");
    }
}
