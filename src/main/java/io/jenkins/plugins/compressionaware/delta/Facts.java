package io.jenkins.plugins.compressionaware.delta;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * How the archive of a build has travelled.
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

    /** What a file takes beside its bytes, nanoseconds: it is opened once more at either end, which takes 10 microseconds in a warm JVM. */
    public static final double FILE = 20_000;

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
