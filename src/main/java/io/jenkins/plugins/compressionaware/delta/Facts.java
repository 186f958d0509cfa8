package io.jenkins.plugins.compressionaware.delta;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * How the archive of a build has travelled, from which it is predicted what the next one would gain.
 *
 * @param files        how many
 * @param rawBytes     of them
 * @param wirePerRaw   what was sent for a byte that was sent
 * @param nanosPerWire what a wire byte took
 * @param share        of the raw bytes that were in the build before; negative if the agent was not told what was there
 * @param misses       how many builds have been asked in vain, this one and those before it
 */
@Restricted(NoExternalUse.class)
public record Facts(long files, long rawBytes, double wirePerRaw, double nanosPerWire, double share, int misses) {
    /** A job with less in common from one build to the next gains nothing. */
    public static final double LEAST_SHARE = 0.05;

    /** So many builds have to have less. */
    private static final int MISSES = 3;

    /** A job that gains nothing is asked again after so many builds. */
    private static final int REST = 9;

    /** What a job is taken for that has not been asked, or has had less than {@link #LEAST_SHARE}. */
    private static final double HOPE = 0.9;

    /**
     * What it takes to cut, hash and rebuild, nanoseconds per raw byte, measured with a CPU that has instructions for SHA-256: 1.3 each at the agent and at the
     * controller, which has nothing to do before the agent is through where all is one file.
     */
    private static final double WORK = 2.6;

    /** The same for a file beside its bytes, nanoseconds: it is opened once more at either end, which takes 10 microseconds in a warm JVM. */
    static final double FILE = 20_000;

    /** It must take this much less of the time, since both are estimates, and of one that is over at once nobody sees it (nanoseconds). */
    private static final double CLEARLY = 0.85;

    private static final double WORTH_SEEING = 200e6;

    /**
     * Whether the next build is worth telling the agent what there is.
     *
     * @param nanosPerByte what a wire byte takes from its agent; NaN if only this build is known
     * @param offerBytes   what telling it takes
     */
    public boolean pays(double nanosPerByte, long offerBytes) {
        double link = Double.isNaN(nanosPerByte) ? nanosPerWire : nanosPerByte;
        double without = rawBytes * wirePerRaw * link;
        double left = 1 - (share < LEAST_SHARE ? HOPE : share);
        double with = without * left + offerBytes * link + rawBytes * WORK + files * FILE;
        return with < CLEARLY * without && without - with > WORTH_SEEING;
    }

    /** What a build leaves for the next one. */
    public enum Next {
        /** Nothing, not even that. */
        NOTHING,
        /** An index without pieces: those that follow are not asked for a while. */
        REST,
        INDEX
    }

    /**
     * What the build leaves that has travelled like this.
     *
     * @param asked whether its agents were told what there was
     * @param since how many builds before it the last one with an index was; 0 if there is none
     */
    public Next next(boolean asked, int since) {
        if (misses < MISSES && pays(Double.NaN, 0)) {
            return Next.INDEX;
        }
        boolean mayTry = since == 0 || since >= REST;
        return asked ? Next.REST : mayTry && anew().pays(Double.NaN, 0) ? Next.INDEX : Next.NOTHING;
    }

    /** The same of a job that is tried again. */
    public Facts anew() {
        return new Facts(files, rawBytes, wirePerRaw, nanosPerWire, -1, misses);
    }

    void write(DataOutput out) throws IOException {
        out.writeLong(files);
        out.writeLong(rawBytes);
        out.writeDouble(wirePerRaw);
        out.writeDouble(nanosPerWire);
        out.writeDouble(share);
        out.writeInt(misses);
    }

    static Facts read(DataInput in) throws IOException {
        return new Facts(in.readLong(), in.readLong(), in.readDouble(), in.readDouble(), in.readDouble(), in.readInt());
    }
}
