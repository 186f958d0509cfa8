package io.jenkins.plugins.compressionaware.engine.delta;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * How the largest archive of a build was transferred. A value that this build could not measure is copied from the build before.
 *
 * @param files        its files
 * @param rawBytes     its raw bytes
 * @param wirePerRaw   wire bytes per raw byte that was sent
 * @param nanosPerWire nanoseconds per wire byte
 * @param share        share of the raw bytes that were in the build before; negative if no agent was told what was there
 * @param misses       consecutive builds that were asked in vain, including this one
 * @param full         nanoseconds per raw byte of archives that were sent in full; negative if not measured
 * @param shortened    nanoseconds per raw byte of archives for which an agent had the list of an earlier build; negative if not measured
 */
@Restricted(NoExternalUse.class)
public record ArchiveStats(
        long files,
        long rawBytes,
        double wirePerRaw,
        double nanosPerWire,
        double share,
        int fruitlessBuilds,
        double full,
        double shortened) {
    /** A job with less in common from one build to the next gains nothing. */
    public static final double MIN_USEFUL_SHARE = 0.05;

    /** Time for a file beside its bytes, nanoseconds: each end opens it once more, which takes 10 microseconds in a warm JVM. */
    public static final double NANOS_PER_FILE = 20_000;

    /** Facts of archives whose times were not measured. */
    public ArchiveStats(long files, long rawBytes, double wirePerRaw, double nanosPerWire, double share, int misses) {
        this(files, rawBytes, wirePerRaw, nanosPerWire, share, misses, -1, -1);
    }

    /** Returns the facts without measurements with a list, for a job that is tried again. */
    public ArchiveStats withUnknownShare() {
        return new ArchiveStats(files, rawBytes, wirePerRaw, nanosPerWire, -1, fruitlessBuilds, full, -1);
    }

    /** Returns the facts for an archive of another size. */
    ArchiveStats of(long otherFiles, long otherBytes) {
        return new ArchiveStats(
                otherFiles, otherBytes, wirePerRaw, nanosPerWire, share, fruitlessBuilds, full, shortened);
    }

    void write(DataOutput out) throws IOException {
        out.writeLong(files);
        out.writeLong(rawBytes);
        out.writeDouble(wirePerRaw);
        out.writeDouble(nanosPerWire);
        out.writeDouble(share);
        out.writeInt(fruitlessBuilds);
        out.writeDouble(full);
        out.writeDouble(shortened);
    }

    static ArchiveStats read(DataInput in) throws IOException {
        return new ArchiveStats(
                in.readLong(),
                in.readLong(),
                in.readDouble(),
                in.readDouble(),
                in.readDouble(),
                in.readInt(),
                in.readDouble(),
                in.readDouble());
    }
}
