package io.jenkins.plugins.compressionaware.transfer;

import io.jenkins.plugins.compressionaware.engine.delta.Facts;

/**
 * Predicts whether searching for repeated content saves the next build time. Compares the job's times with and without a search, or estimates
 * them until both are measured.
 */
final class Prediction {
    /** A job rests after so many builds in a row with less than {@link Facts#LEAST_SHARE} in common with the one before. */
    private static final int MISSES = 3;

    /** Builds after which a job that gains nothing is asked again. */
    private static final int REST = 9;

    /** Assumed share for a job that has not been asked, or has had less than {@link Facts#LEAST_SHARE}. */
    private static final double HOPE = 0.9;

    /**
     * Time to cut, hash and rebuild, nanoseconds per raw byte, measured with a CPU that has instructions for SHA-256: 1.2 at the agent and 1.4 at the
     * controller, which follows it, and more while their JVMs are young. A first guess, as {@link Facts#FILE} is: a slow disk or a large file takes longer.
     */
    private static final double WORK = 1.7;

    /** An estimated time must be below this share of the time without a search, and save a noticeable number of nanoseconds. */
    private static final double CLEARLY = 0.85;

    private static final double WORTH_SEEING = 200e6;

    /** One of so many builds is sent in full, because the first measurement may be from a cold agent, and links change. */
    private static final int IN_FULL = 25;

    private Prediction() {}

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
    static boolean pays(Facts last, double nanosPerByte, long offerBytes) {
        double link = Double.isNaN(nanosPerByte) ? last.nanosPerWire() : nanosPerByte;
        double without = last.rawBytes() * last.wirePerRaw() * link;
        double left = 1 - (last.share() < Facts.LEAST_SHARE ? HOPE : last.share());
        if (last.full() >= 0 && last.shortened() >= 0) {
            // the link may differ from the measured one: only the time of sent bytes changes with the link
            double measured = last.rawBytes() * last.wirePerRaw() * last.nanosPerWire();
            return last.rawBytes() * last.shortened() + (without - measured) * left + offerBytes * link
                    < last.rawBytes() * last.full() + without - measured;
        }
        double with = without * left + offerBytes * link + last.rawBytes() * WORK + last.files() * Facts.FILE;
        return with < CLEARLY * without && without - with > WORTH_SEEING;
    }

    /** The index that a build leaves for the next one. */
    enum Next {
        /** No index at all. */
        NOTHING,
        /** An index without pieces: the builds that follow are not asked for a while. */
        REST,
        INDEX
    }

    /**
     * The index that a build leaves.
     *
     * @param last         how its archive has travelled
     * @param nanosPerByte see {@link #pays}; the next build will presumably have such an agent, too
     * @param asked        whether its agents were told what there was
     * @param since        builds since the last one with an index; 0 if there is none
     */
    static Next next(Facts last, double nanosPerByte, boolean asked, int since) {
        if (last.misses() < MISSES && pays(last, nanosPerByte, 0)) {
            return Next.INDEX;
        }
        boolean mayTry = since == 0 || since >= REST;
        return asked ? Next.REST : mayTry && pays(last.anew(), nanosPerByte, 0) ? Next.INDEX : Next.NOTHING;
    }
}
