package io.jenkins.plugins.compressionaware.engine.delta;

import java.util.SplittableRandom;

/**
 * Cuts bytes such that an insertion moves few of the cuts: FastCDC with normalised pieces (Xia et al., USENIX ATC 2016). Libraries for this on Maven Central
 * are larger than this class, and would have to travel.
 */
final class FastCdcChunker {
    /** Least, usual and most bytes of a piece. */
    static final int MIN_CHUNK = 4 * 1024;

    static final int TARGET_CHUNK = 16 * 1024;

    static final int MAX_CHUNK = 64 * 1024;

    /** Two bits more and two fewer than the usual length has. They are the upper bits, which more bytes have influenced. */
    private static final long STRICT_MASK = -1L << 48;

    private static final long LOOSE_MASK = -1L << 52;

    private static final long[] GEAR =
            new SplittableRandom(0x6172_7469L).longs(256).toArray();

    private FastCdcChunker() {}

    /** Length of the piece that begins at {@code from}; {@code to} is the end of the bytes, or at least {@link #MAX_CHUNK} further on. */
    static int nextChunkLength(byte[] bytes, int from, int to) {
        int end = Math.min(to, from + MAX_CHUNK);
        int usual = Math.min(end, from + TARGET_CHUNK);
        long print = 0;
        int i = Math.min(end, from + MIN_CHUNK);
        for (; i < usual; i++) {
            print = (print << 1) + GEAR[bytes[i] & 0xff];
            if ((print & STRICT_MASK) == 0) {
                return i + 1 - from;
            }
        }
        for (; i < end; i++) {
            print = (print << 1) + GEAR[bytes[i] & 0xff];
            if ((print & LOOSE_MASK) == 0) {
                return i + 1 - from;
            }
        }
        return end - from;
    }
}
