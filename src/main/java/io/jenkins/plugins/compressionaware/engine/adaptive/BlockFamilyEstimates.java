package io.jenkins.plugins.compressionaware.engine.adaptive;

/** Estimates for one family of blocks, and its present choice. */
final class BlockFamilyEstimates {
    /** Factor per block of the family: a measurement counts for a third after 100 blocks. */
    private static final double AGING = 0.99;

    private final ContentClass look;
    private final EstimateCorrection time;
    private final EstimateCorrection ratio;

    /** The rung in use. */
    int current = -1;

    /** Blocks since the last trial. */
    int sinceTrial;

    /** Blocks between trials. */
    int trialGap = FIRST_TRIAL;

    static final int FIRST_TRIAL = 6;

    BlockFamilyEstimates(ContentClass look) {
        this.look = look;
        time = new EstimateCorrection(CompressionLadder.ALL.size());
        ratio = new EstimateCorrection(CompressionLadder.ALL.size());
    }

    /** Nanoseconds of one thread per raw byte. */
    double compress(int rung) {
        return look.compress(rung) * time.factor(rung);
    }

    /** Wire bytes per raw byte, at most 1: codecs store data that does not shrink, so no frame is much larger than a stored one. */
    double ratio(int rung) {
        return rung == 0 ? 1 : Math.min(1, look.ratio(rung) * ratio.factor(rung));
    }

    /** Nanoseconds of one thread of the controller per raw byte: the built-in figure. */
    double decode(int rung) {
        return look.decode(rung);
    }

    double measurements(int rung) {
        return time.measurements(rung);
    }

    /** Learns from a block of this family. */
    void update(int rung, int rawLength, int wireLength, long nanos) {
        // the time of a copy says nothing about the time of a codec
        if (rung != 0) {
            double took = Math.max(1.0, nanos) / rawLength;
            time.update(rung, compress(rung), took);
            ratio.update(rung, look.ratio(rung) * ratio.factor(rung), Math.max(1.0, wireLength) / rawLength);
        }
        time.decay(AGING);
        ratio.decay(AGING);
    }
}
