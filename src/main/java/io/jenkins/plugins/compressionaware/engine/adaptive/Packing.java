package io.jenkins.plugins.compressionaware.engine.adaptive;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.util.List;
import java.util.Set;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Chooses one codec and level for files that are packed before the first byte is sent, from samples of the files and the rate of the link. Used by
 * one thread.
 */
@Restricted(NoExternalUse.class)
public final class Packing {
    /** Most bytes of a sample that count. */
    public static final int SAMPLE = 4096;

    /** Time to write a packed file and to read it again, nanoseconds per raw byte. */
    private static final double COPY = 1.5;

    private final double[] work = new double[CompressionLadder.ALL.size()];
    private final double[] ratio = new double[CompressionLadder.ALL.size()];
    private int samples;

    /** Adds a sample; all samples have the same weight. */
    public void sample(byte[] bytes, int length) {
        ContentClass look = ContentClassifier.classify(bytes, length);
        for (int rung = 0; rung < work.length; rung++) {
            work[rung] += look.compress(rung);
            ratio[rung] += look.ratio(rung);
        }
        samples++;
    }

    /**
     * Returns the fastest of stored and zstd. The work counts as if one thread compressed, because all builds share the processors.
     *
     * @param minLevel     least effort, as in {@link CodecSelector}
     * @param maxLevel     most effort
     * @param nanosPerByte of the link, nanoseconds per wire byte
     */
    public CodecLevel choice(int minLevel, int maxLevel, double nanosPerByte) {
        Set<Codec> usable = Set.of(Codec.NONE, Codec.ZSTD);
        List<CodecLevel> choices = CompressionLadder.choices(minLevel, maxLevel, usable);
        CodecLevel best = CodecLevel.UNCOMPRESSED;
        double least = Double.MAX_VALUE;
        for (int rung : CompressionLadder.rungs(minLevel, maxLevel, usable)) {
            double packing = rung == 0 ? 0 : COPY * samples + work[rung];
            double time = packing + ratio[rung] * nanosPerByte;
            if (time < least) {
                least = time;
                best = choices.get(rung);
            }
        }
        return best;
    }
}
