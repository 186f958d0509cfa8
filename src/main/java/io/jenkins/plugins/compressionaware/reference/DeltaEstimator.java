package io.jenkins.plugins.compressionaware.reference;

import io.jenkins.plugins.compressionaware.engine.delta.ArchiveStats;

/** Predicts whether a delta saves the next build time. Compares the job's times with and without a delta, or estimates them until both are measured. */
final class DeltaEstimator {
    /** Builds in a row that reused less than {@link ArchiveStats#MIN_USEFUL_SHARE}, after which a job stops attempting deltas for a while. */
    private static final int MAX_FRUITLESS_BUILDS = 3;

    /** Builds after which a job without gains attempts a delta again. */
    private static final int RETRY_AFTER_BUILDS = 9;

    /** Assumed reusable share of an archive if none was measured, or less than {@link ArchiveStats#MIN_USEFUL_SHARE}. */
    private static final double ASSUMED_SHARE = 0.9;

    /**
     * Time to chunk, hash and rebuild a file, nanoseconds per raw byte, on a CPU with SHA-256 instructions. A first guess, like
     * {@link ArchiveStats#NANOS_PER_FILE}: slow disks and large files take longer.
     */
    private static final double DELTA_NANOS_PER_BYTE = 1.7;

    /** A delta must cut the estimated time to below this share, because both times are estimates, and save a noticeable number of nanoseconds. */
    private static final double MAX_TIME_RATIO = 0.85;

    private static final double MIN_SAVING_NANOS = 200e6;

    /** A build whose number is a multiple of this is sent in full. The first measurement may be from an agent that just started, and links change. */
    private static final int FULL_INTERVAL = 25;

    private DeltaEstimator() {}

    /** Returns whether a build is sent in full, so that the time without a delta is measured again. */
    static boolean isInFull(int build) {
        return build % FULL_INTERVAL == 0;
    }

    /**
     * Returns whether offering the next build's agent a delta saves time.
     *
     * @param last figures of the last build's archive
     * @param nanosPerByte time of a wire byte from that agent; NaN to use the last build's time
     * @param signatureBytes wire bytes of the signature
     */
    static boolean isWorthwhile(ArchiveStats last, double nanosPerByte, long signatureBytes) {
        double link = Double.isNaN(nanosPerByte) ? last.nanosPerWire() : nanosPerByte;
        double without = last.rawBytes() * last.wirePerRaw() * link;
        double left = 1 - (last.share() < ArchiveStats.MIN_USEFUL_SHARE ? ASSUMED_SHARE : last.share());
        if (last.fullNanosPerByte() >= 0 && last.deltaNanosPerByte() >= 0) {
            // only the time of sent bytes changes with the link
            double measured = last.rawBytes() * last.wirePerRaw() * last.nanosPerWire();
            return last.rawBytes() * last.deltaNanosPerByte() + (without - measured) * left + signatureBytes * link
                    < last.rawBytes() * last.fullNanosPerByte() + without - measured;
        }
        double with = without * left
                + signatureBytes * link
                + last.rawBytes() * DELTA_NANOS_PER_BYTE
                + last.files() * ArchiveStats.NANOS_PER_FILE;
        return with < MAX_TIME_RATIO * without && without - with > MIN_SAVING_NANOS;
    }

    /** The kind of chunk index that a build leaves for the next one. */
    enum IndexDecision {
        NOTHING,
        /** An index without chunks, so that the following builds attempt no delta for a while. */
        RETRY_AFTER_BUILDS,
        INDEX
    }

    /**
     * Decides which chunk index a build leaves.
     *
     * @param last figures of the build's archive
     * @param nanosPerByte see {@link #isWorthwhile}; the next build presumably runs on an agent with the same link
     * @param attempted whether the build's agents were offered a delta
     * @param since builds since the last one with an index; 0 if none has one
     */
    static IndexDecision decideIndex(ArchiveStats last, double nanosPerByte, boolean attempted, int since) {
        if (last.fruitlessBuilds() < MAX_FRUITLESS_BUILDS && isWorthwhile(last, nanosPerByte, 0)) {
            return IndexDecision.INDEX;
        }
        boolean mayTry = since == 0 || since >= RETRY_AFTER_BUILDS;
        return attempted
                ? IndexDecision.RETRY_AFTER_BUILDS
                : mayTry && isWorthwhile(last.withUnknownShare(), nanosPerByte, 0)
                        ? IndexDecision.INDEX
                        : IndexDecision.NOTHING;
    }
}
