package io.jenkins.plugins.compressionaware.adapt;

import io.jenkins.plugins.compressionaware.codec.Codec;

/** What a block gets while the codec libraries are not there: gzip, if the block looks as if it shrinks. */
public final class JdkChoice {
    private static final Choice FAST = new Choice(Codec.GZIP, 1);

    /** As Jenkins core does it. */
    private static final Choice USUAL = new Choice(Codec.GZIP, 6);

    private JdkChoice() {}

    /**
     * @param floor   least effort, as in {@link AutoOptions}
     * @param ceiling most effort
     * @param hurry   whether the lanes wait for blocks
     */
    public static Choice of(byte[] block, int length, int floor, int ceiling, boolean hurry) {
        if (ceiling == 0 || floor == 0 && !shrinks(block, length)) {
            return Choice.STORED;
        }
        return hurry || ceiling < USUAL.level() ? FAST : USUAL;
    }

    private static boolean shrinks(byte[] block, int length) {
        return switch (Probe.kind(block, length)) {
            case TEXT, BINARY, SPARSE -> true;
            case DENSE, NOISE -> false;
        };
    }
}
