package io.jenkins.plugins.compressionaware.adapt;

import io.jenkins.plugins.compressionaware.codec.Codec;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Chooses while the codec libraries are missing: gzip if a block looks compressible or the link may be slow. Any thread may call any method.
 */
@Restricted(NoExternalUse.class)
public final class JdkChooser {
    private static final Choice FAST = new Choice(Codec.GZIP, 1);

    /** The level that Jenkins core uses. */
    private static final Choice USUAL = new Choice(Codec.GZIP, 6);

    /** Weight of the past at each new write: about the last ten count. */
    private static final double KEEP = 0.9;

    private final int minLevel;
    private final int maxLevel;
    private double bytes;
    private double busy;
    private double starved;
    private boolean answered;

    /**
     * @param minLevel least effort, as in {@link Selector}
     * @param maxLevel most effort
     */
    public JdkChooser(int minLevel, int maxLevel) {
        this.minLevel = minLevel;
        this.maxLevel = maxLevel;
    }

    /**
     * The choice for a block. Every block is compressed until the receiver answers, since an empty window makes every link look fast: on a slow link those
     * blocks may be the whole transfer, and even jars shrink by 5 % at no cost; on a fast one the answer comes a round trip after the first block.
     */
    public synchronized Choice choose(byte[] block, int length) {
        if (maxLevel == 0 || minLevel == 0 && answered && !shrinks(block, length)) {
            return Choice.STORED;
        }
        boolean lanesWaitForBlocks = answered && starved > busy;
        return lanesWaitForBlocks && minLevel <= 1 || maxLevel < USUAL.level() ? FAST : USUAL;
    }

    private static boolean shrinks(byte[] block, int length) {
        return switch (Probe.look(block, length)) {
            case TEXT, BINARY, SPARSE -> true;
            case DENSE, NOISE -> false;
        };
    }

    /** A lane has written a piece. */
    public synchronized void sent(LaneWrite write) {
        bytes = bytes * KEEP + write.wireLength();
        busy = busy * KEEP + write.writeNanos() + write.heldNanos();
        starved = starved * KEEP + write.starvedNanos();
    }

    /** The receiver has consumed something. */
    public synchronized void answered() {
        answered = true;
    }

    /** Nanoseconds per wire byte on one busy lane; NaN if the lane mostly waits for blocks, because an empty window makes any link look fast. */
    public synchronized double linkNanosPerByte() {
        return busy > starved && answered ? busy / bytes : Double.NaN;
    }

    /** Nanoseconds per wire byte on one lane; negative until known. */
    public synchronized double nanosPerByte() {
        return answered && bytes > 0 ? busy / bytes : -1;
    }
}
