package io.jenkins.plugins.compressionaware.transfer;

import io.jenkins.plugins.compressionaware.engine.delta.ArchiveStats;

/**
 * Predicts whether searching for repeated content saves the next build time. Compares the job's times with and without a search, or estimates
 * them until both are measured.
 */
final class DeltaEstimator {
    /** A job rests after so many builds in a row with less than {@link ArchiveStats#MIN_USEFUL_SHARE} in common with the one before. */
    private static final int MAX_FRUITLESS_BUILDS = 3;

    /** Builds after which a job that gains nothing is asked again. */
    private static final int RETRY_AFTER_BUILDS = 9;

    /** Assumed share for a job that has not been asked, or has had less than {@link ArchiveStats#MIN_USEFUL_SHARE}. */
    private static final double ASSUMED_SHARE = 0.9;

    /**
     * Time to cut, hash and rebuild, nanoseconds per raw byte, measured with a CPU that has instructions for SHA-256: 1.2 at the agent and 1.4 at the
     * controller, which follows it, and more while their JVMs are young. A first guess, as {@link ArchiveStats#NANOS_PER_FILE} is: a slow disk or a large file takes longer.
     */
    private static final double DELTA_NANOS_PER_BYTE = 1.7;

    /** An estimated time must be below this share of the time without a search, and save a noticeable number of nanoseconds. */
    private static final double MAX_TIME_RATIO = 0.85;

    private static final double MIN_SAVING_NANOS = 200e6;

    /** One of so many builds is sent in full, because the first measurement may be from a cold agent, and links change. */
    private static final int IN_FULL = 25;

    private DeltaEstimator() {}

    /** Whether a build is sent in full, so that the time without a list is measured again. */
    static boolean isInFull(int build) {
        return build % IN_FULL == 0;
    }

    /**
     * Whether telling the next build's agent what there is pays.
     *
     * @param last         how the last build's archive was transferred
     * @param nanosPerByte time of a wire byte from that agent; NaN if only the last build's is known
     * @param offerBytes   wire bytes that telling takes
     */
    static boolean isWorthwhile(ArchiveStats last, double nanosPerByte, long offerBytes) {
        double link = Double.isNaN(nanosPerByte) ? last.nanosPerWire() : nanosPerByte;
        double without = last.rawBytes() * last.wirePerRaw() * link;
        double left = 1 - (last.share() < ArchiveStats.MIN_USEFUL_SHARE ? ASSUMED_SHARE : last.share());
        if (last.full() >= 0 && last.shortened() >= 0) {
            // the link may differ from the measured one: only the time of sent bytes changes with the link
            double measured = last.rawBytes() * last.wirePerRaw() * last.nanosPerWire();
            return last.rawBytes() * last.shortened() + (without - measured) * left + offerBytes * link
                    < last.rawBytes() * last.full() + without - measured;
        }
        double with = without * left
                + offerBytes * link
                + last.rawBytes() * DELTA_NANOS_PER_BYTE
                + last.files() * ArchiveStats.NANOS_PER_FILE;
        return with < MAX_TIME_RATIO * without && without - with > MIN_SAVING_NANOS;
    }

    /** The index that a build leaves for the next one. */
    enum IndexDecision {
        /** No index at all. */
        NOTHING,
        /** An index without pieces: the builds that follow are not asked for a while. */
        RETRY_AFTER_BUILDS,
        INDEX
    }

    /**
     * The index that a build leaves.
     *
     * @param last         how its archive has travelled
     * @param nanosPerByte see {@link #isWorthwhile}; the next build will presumably have such an agent, too
     * @param asked        whether its agents were told what there was
     * @param since        builds since the last one with an index; 0 if there is none
     */
    static IndexDecision decideIndex(ArchiveStats last, double nanosPerByte, boolean asked, int since) {
        if (last.fruitlessBuilds() < MAX_FRUITLESS_BUILDS && isWorthwhile(last, nanosPerByte, 0)) {
            return IndexDecision.INDEX;
        }
        boolean mayTry = since == 0 || since >= RETRY_AFTER_BUILDS;
        return asked
                ? IndexDecision.RETRY_AFTER_BUILDS
                : mayTry && isWorthwhile(last.withUnknownShare(), nanosPerByte, 0)
                        ? IndexDecision.INDEX
                        : IndexDecision.NOTHING;
    }
}
