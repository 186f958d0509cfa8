package io.jenkins.plugins.compressionaware.adapt;

import io.jenkins.plugins.compressionaware.codec.Codec;

/** What a block gets while the codec libraries are not there: gzip, if the block looks as if it shrinks or the link may be slow. */
public final class JdkChoice {
    private static final Choice FAST = new Choice(Codec.GZIP, 1);

    /** As Jenkins core does it. */
    private static final Choice USUAL = new Choice(Codec.GZIP, 6);

    private JdkChoice() {}

    /** What the lanes do. */
    public enum Lanes {
        /**
         * The receiver has not answered yet. What is given to a slow link now may be all there is, and even jars then shrink by 5 % at no cost; on
         * a fast link the answer comes a round trip after the first block.
         */
        UNKNOWN,
        BUSY,
        /** They wait for blocks. */
        STARVED
    }

    /**
     * @param floor   least effort, as in {@link AutoOptions}
     * @param ceiling most effort
     */
    public static Choice of(byte[] block, int length, int floor, int ceiling, Lanes lanes) {
        if (ceiling == 0 || floor == 0 && lanes != Lanes.UNKNOWN && !shrinks(block, length)) {
            return Choice.STORED;
        }
        return lanes == Lanes.STARVED || ceiling < USUAL.level() ? FAST : USUAL;
    }

    private static boolean shrinks(byte[] block, int length) {
        return switch (Probe.kind(block, length)) {
            case TEXT, BINARY, SPARSE -> true;
            case DENSE, NOISE -> false;
        };
    }
}
