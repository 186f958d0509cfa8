package io.jenkins.plugins.compressionaware.adapt;

import io.jenkins.plugins.compressionaware.codec.Codec;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The choice for a block while the codec libraries are not there: gzip, if it looks as if it shrinks or the link may be slow. */
@Restricted(NoExternalUse.class)
public final class JdkChoice {
    private static final Choice FAST = new Choice(Codec.GZIP, 1);

    /** As Jenkins core does it. */
    private static final Choice USUAL = new Choice(Codec.GZIP, 6);

    private JdkChoice() {}

    /** The lanes' occupation. */
    public enum LaneState {
        /**
         * The receiver has not answered yet. On a slow link this may be all there is, and even jars then shrink by 5 % at no cost; on
         * a fast link the answer comes a round trip after the first block.
         */
        UNKNOWN,
        BUSY,
        /** They wait for blocks. */
        STARVED
    }

    /**
     * @param minLevel least effort, as in {@link AutoOptions}
     * @param maxLevel most effort
     */
    public static Choice of(byte[] block, int length, int minLevel, int maxLevel, LaneState lanes) {
        if (maxLevel == 0 || minLevel == 0 && lanes != LaneState.UNKNOWN && !shrinks(block, length)) {
            return Choice.STORED;
        }
        return lanes == LaneState.STARVED || maxLevel < USUAL.level() ? FAST : USUAL;
    }

    private static boolean shrinks(byte[] block, int length) {
        return switch (Probe.look(block, length)) {
            case TEXT, BINARY, SPARSE -> true;
            case DENSE, NOISE -> false;
        };
    }
}
