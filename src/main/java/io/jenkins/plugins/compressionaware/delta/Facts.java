package io.jenkins.plugins.compressionaware.delta;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * How the archives of a build travelled. A value that this build could not tell comes from the build before.
 *
 * @param files        files, on average of the build's archives
 * @param rawBytes     raw bytes, on average of the build's archives
 * @param wirePerRaw   wire bytes per raw byte that was sent
 * @param nanosPerWire nanoseconds per wire byte
 * @param share        share of the raw bytes that were in the build before; negative if no agent was told what was there
 * @param misses       consecutive builds that were asked in vain, including this one
 */
@Restricted(NoExternalUse.class)
public record Facts(long files, long rawBytes, double wirePerRaw, double nanosPerWire, double share, int misses) {
    /** A job with less in common from one build to the next gains nothing. */
    public static final double LEAST_SHARE = 0.05;

    /** Time for a file beside its bytes, nanoseconds: each end opens it once more, which takes 10 microseconds in a warm JVM. */
    public static final double FILE = 20_000;

    /** The same facts with an unknown share, for a job that is to be tried again. */
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
