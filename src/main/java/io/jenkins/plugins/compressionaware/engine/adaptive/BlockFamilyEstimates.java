package io.jenkins.plugins.compressionaware.engine.adaptive;

/**
 * Estimates of time and ratio for a family of blocks, and the rung in use. A family has the same content class and file extension, so its
 * blocks are expected to compress alike. The estimates start with the figures of the {@link ContentClass}, and measurements correct them.
 */
final class BlockFamilyEstimates {
    /** Factor per block: after 100 blocks, a measurement has a third of its weight. */
    private static final double DECAY = 0.99;

    final ContentClass contentClass;
    final EstimateCorrection time;
    private final EstimateCorrection ratio;

    /** Rung in use; negative before the first choice. */
    int current = -1;

    int sinceTrial;

    int trialGap = FIRST_TRIAL;

    static final int FIRST_TRIAL = 6;

    BlockFamilyEstimates(ContentClass contentClass) {
        this.contentClass = contentClass;
        time = new EstimateCorrection(CompressionLadder.ALL.size());
        ratio = new EstimateCorrection(CompressionLadder.ALL.size());
    }

    /** Returns nanoseconds of one agent thread per raw byte. */
    double compress(int rung) {
        return contentClass.compress[rung] * time.factor(rung);
    }

    /** Returns wire bytes per raw byte, at most 1: codecs leave incompressible data as it is, so no frame is much larger than an uncompressed one. */
    double ratio(int rung) {
        return rung == 0 ? 1 : Math.min(1, contentClass.ratio[rung] * ratio.factor(rung));
    }

    void update(int rung, int rawLength, int wireLength, long nanos) {
        // copying a block shows nothing about codecs
        if (rung != 0) {
            double nanosPerByte = Math.max(1.0, nanos) / rawLength;
            time.update(rung, compress(rung), nanosPerByte);
            ratio.update(rung, contentClass.ratio[rung] * ratio.factor(rung), Math.max(1.0, wireLength) / rawLength);
        }
        time.decay(DECAY);
        ratio.decay(DECAY);
    }
}
