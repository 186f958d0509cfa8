package io.jenkins.plugins.compressionaware.engine.adaptive;

import java.util.List;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Chooses one codec level for files that are packed before the first byte is sent, from samples of the files and the rate of the link. Used by one thread. */
@Restricted(NoExternalUse.class)
public final class SampledLevel {
    /** Maximum number of bytes of a sample. */
    public static final int SAMPLE = 4096;

    /** Time to write a packed file and to read it again, nanoseconds per raw byte. */
    private static final double COPY_NANOS_PER_BYTE = 1.5;

    private final double[] work = new double[CompressionLadder.ALL.size()];
    private final double[] ratio = new double[CompressionLadder.ALL.size()];
    private int samples;

    /** Adds a sample. All samples have the same weight. */
    public void sample(byte[] bytes, int length) {
        ContentClass contentClass = ContentClassifier.classify(bytes, length);
        for (int rung = 0; rung < work.length; rung++) {
            work[rung] += contentClass.compress[rung];
            ratio[rung] += contentClass.ratio[rung];
        }
        samples++;
    }

    /**
     * Returns the fastest of uncompressed and zstd, assuming one compressing thread because all builds share the processors.
     *
     * @param minLevel     lowest effort, as in {@link CodecSelector}
     * @param nanosPerByte nanoseconds per wire byte of the link
     */
    public CodecLevel choice(int minLevel, int maxLevel, double nanosPerByte) {
        List<CodecLevel> levels = CompressionLadder.levels(minLevel, maxLevel, true);
        CodecLevel best = CodecLevel.UNCOMPRESSED;
        double bestTime = Double.MAX_VALUE;
        for (int rung : CompressionLadder.rungs(minLevel, maxLevel, true, false)) {
            double packing = rung == 0 ? 0 : COPY_NANOS_PER_BYTE * samples + work[rung];
            double time = packing + ratio[rung] * nanosPerByte;
            if (time < bestTime) {
                bestTime = time;
                best = levels.get(rung);
            }
        }
        return best;
    }
}
