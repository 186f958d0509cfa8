package io.jenkins.plugins.compressionaware.engine.delta;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Statistics of the transfer of a build's largest archive. A value that this build did not measure is copied from the reference build.
 *
 * @param rawBytes        bytes of the files' contents
 * @param wirePerRaw      wire bytes per raw byte that was sent
 * @param share           share of the raw bytes that the reference build had; negative if no delta was attempted
 * @param fruitlessBuilds consecutive builds whose deltas reused almost nothing, including this one
 * @param fullNanosPerByte  nanoseconds per raw byte of archives sent in full; negative if not measured
 * @param deltaNanosPerByte nanoseconds per raw byte of archives sent as deltas; negative if not measured
 */
@Restricted(NoExternalUse.class)
public record ArchiveStats(
        long files,
        long rawBytes,
        double wirePerRaw,
        double nanosPerWire,
        double share,
        int fruitlessBuilds,
        double fullNanosPerByte,
        double deltaNanosPerByte) {
    /** Jobs that reuse a smaller share gain nothing from deltas. */
    public static final double MIN_USEFUL_SHARE = 0.05;

    /** Nanoseconds that a delta adds per file, because each end opens the file once more. */
    public static final double NANOS_PER_FILE = 20_000;

    /** Creates statistics without measured times. */
    public ArchiveStats(
            long files, long rawBytes, double wirePerRaw, double nanosPerWire, double share, int fruitlessBuilds) {
        this(files, rawBytes, wirePerRaw, nanosPerWire, share, fruitlessBuilds, -1, -1);
    }

    /** Returns these statistics without the measurements of deltas, for a job that is tried again. */
    public ArchiveStats withUnknownShare() {
        return new ArchiveStats(files, rawBytes, wirePerRaw, nanosPerWire, -1, fruitlessBuilds, fullNanosPerByte, -1);
    }

    /** Returns these statistics for an archive of another size. */
    ArchiveStats of(long otherFiles, long otherBytes) {
        return new ArchiveStats(
                otherFiles,
                otherBytes,
                wirePerRaw,
                nanosPerWire,
                share,
                fruitlessBuilds,
                fullNanosPerByte,
                deltaNanosPerByte);
    }

    void write(DataOutput out) throws IOException {
        out.writeLong(files);
        out.writeLong(rawBytes);
        out.writeDouble(wirePerRaw);
        out.writeDouble(nanosPerWire);
        out.writeDouble(share);
        out.writeInt(fruitlessBuilds);
        out.writeDouble(fullNanosPerByte);
        out.writeDouble(deltaNanosPerByte);
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
