package io.jenkins.plugins.compressionaware.agent;

import io.jenkins.plugins.compressionaware.delta.Facts;

/** Predicts from how the archive of a build has travelled whether looking for what repeats saves the next one time. */
final class Prediction {
    /** So many builds have to have less than {@link Facts#LEAST_SHARE} in common with the one before. */
    private static final int MISSES = 3;

    /** A job that gains nothing is asked again after so many builds. */
    private static final int REST = 9;

    /** What a job is taken for that has not been asked, or has had less than {@link Facts#LEAST_SHARE}. */
    private static final double HOPE = 0.9;

    /**
     * What it takes to cut, hash and rebuild, nanoseconds per raw byte, measured with a CPU that has instructions for SHA-256: 1.2 at the agent and 1.4 at the
     * controller, which follows it, and more while their JVMs are young.
     */
    private static final double WORK = 1.7;

    /** It must take this much less of the time, since both are estimates, and of one that is over at once nobody sees it (nanoseconds). */
    private static final double CLEARLY = 0.85;

    private static final double WORTH_SEEING = 200e6;

    private Prediction() {}

    /**
     * Whether the next build is worth telling the agent what there is.
     *
     * @param last         how the last one has travelled
     * @param nanosPerByte what a wire byte takes from its agent; NaN if only this build is known
     * @param offerBytes   what telling it takes
     */
    static boolean pays(Facts last, double nanosPerByte, long offerBytes) {
        double link = Double.isNaN(nanosPerByte) ? last.nanosPerWire() : nanosPerByte;
        double without = last.rawBytes() * last.wirePerRaw() * link;
        double left = 1 - (last.share() < Facts.LEAST_SHARE ? HOPE : last.share());
        double with = without * left + offerBytes * link + last.rawBytes() * WORK + last.files() * Facts.FILE;
        return with < CLEARLY * without && without - with > WORTH_SEEING;
    }

    /** What a build leaves for the next one. */
    enum Next {
        /** Nothing, not even that. */
        NOTHING,
        /** An index without pieces: those that follow are not asked for a while. */
        REST,
        INDEX
    }

    /**
     * What the build leaves that has travelled like this.
     *
     * @param last  how it has
     * @param asked whether its agents were told what there was
     * @param since how many builds before it the last one with an index was; 0 if there is none
     */
    static Next next(Facts last, boolean asked, int since) {
        if (last.misses() < MISSES && pays(last, Double.NaN, 0)) {
            return Next.INDEX;
        }
        boolean mayTry = since == 0 || since >= REST;
        return asked ? Next.REST : mayTry && pays(last.anew(), Double.NaN, 0) ? Next.INDEX : Next.NOTHING;
    }
}
