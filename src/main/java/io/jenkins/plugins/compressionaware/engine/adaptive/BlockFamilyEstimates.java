package io.jenkins.plugins.compressionaware.engine.adaptive;

/**
 * Estimates of time and ratio for a family of blocks. A family has the same content class and file extension, so its
 * blocks are expected to compress alike. The estimates start with the figures of the {@link ContentClass}, and measurements correct them.
 */
final class BlockFamilyEstimates {
    final ContentClass contentClass;
    private final EstimateCorrection time;
    final EstimateCorrection ratio;

    /** Number of blocks for which a rung was chosen. */
    int blocks;

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
    }
}
