package io.jenkins.plugins.compressionaware.engine.delta;

import java.util.SplittableRandom;

/**
 * Cuts bytes by their content, so that an insertion moves few cuts: FastCDC with normalized chunking (Xia et al., USENIX ATC 2016).
 * Libraries for this are larger than this class, and would have to be sent to agents.
 */
final class FastCdcChunker {
    /** Minimum, target and maximum length of a chunk in bytes. */
    static final int MIN_CHUNK = 4 * 1024;

    static final int TARGET_CHUNK = 16 * 1024;

    static final int MAX_CHUNK = 64 * 1024;

    /** Masks with two bits more and two bits fewer than the target length has. The masks select the upper bits, which depend on the most bytes. */
    private static final long STRICT_MASK = -1L << 48;

    private static final long LOOSE_MASK = -1L << 52;

    private static final long[] GEAR =
            new SplittableRandom(0x6172_7469L).longs(256).toArray();

    private FastCdcChunker() {}

    /**
     * Returns the length of the chunk that begins at {@code from}.
     *
     * @param to end of the bytes, or at least {@link #MAX_CHUNK} after {@code from}
     */
    static int nextChunkLength(byte[] bytes, int from, int to) {
        int end = Math.min(to, from + MAX_CHUNK);
        int target = Math.min(end, from + TARGET_CHUNK);
        long fingerprint = 0;
        int i = Math.min(end, from + MIN_CHUNK);
        for (; i < target; i++) {
            fingerprint = (fingerprint << 1) + GEAR[bytes[i] & 0xff];
            if ((fingerprint & STRICT_MASK) == 0) {
                return i + 1 - from;
            }
        }
        for (; i < end; i++) {
            fingerprint = (fingerprint << 1) + GEAR[bytes[i] & 0xff];
            if ((fingerprint & LOOSE_MASK) == 0) {
                return i + 1 - from;
            }
        }
        return end - from;
    }
}
