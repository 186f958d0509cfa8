package io.jenkins.plugins.compressionaware.adapt;

import io.jenkins.plugins.compressionaware.codec.Codec;

/** What a block gets while the codec libraries are not there: gzip at its fastest, if the block looks as if it shrinks. */
public final class JdkChoice {
    private static final Choice GZIP = new Choice(Codec.GZIP, Codec.GZIP.minLevel());

    private JdkChoice() {}

    /**
     * @param floor   least effort, as in {@link AutoOptions}
     * @param ceiling most effort
     */
    public static Choice of(byte[] block, int length, int floor, int ceiling) {
        if (ceiling == 0 || floor == 0 && !shrinks(block, length)) {
            return Choice.STORED;
        }
        return GZIP;
    }

    private static boolean shrinks(byte[] block, int length) {
        return switch (Probe.kind(block, length)) {
            case TEXT, BINARY, SPARSE -> true;
            case DENSE, NOISE -> false;
        };
    }
}
