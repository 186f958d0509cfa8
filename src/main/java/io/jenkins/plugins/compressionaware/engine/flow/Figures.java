package io.jenkins.plugins.compressionaware.engine.flow;

import java.io.Serializable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Counts and times of one end of a transfer. Times are in nanoseconds, summed over the threads of a stage; 0 for a stage of the other end.
 *
 * @param entries      files, links and directories
 * @param contentBytes bytes of file contents
 * @param rawBytes     bytes of the tar
 * @param wireBytes    bytes of the frames
 * @param readNanos    time to read files and pack them into a tar
 * @param linkNanos    sender: time in writes to the lanes, blocked or not, or spent waiting until a store has parts; receiver: time spent waiting for
 *     frames, except for the first frame
 * @param decodeNanos  time spent decoding
 * @param unpackNanos  time spent unpacking and writing files, without waiting for blocks
 * @param cpuNanos     CPU time of all threads of this end, without Remoting's thread for streams; -1 if the JVM does not measure it
 */
@Restricted(NoExternalUse.class)
public record Figures(
        int entries,
        long contentBytes,
        long rawBytes,
        long wireBytes,
        long readNanos,
        long linkNanos,
        long decodeNanos,
        long unpackNanos,
        long cpuNanos)
        implements Serializable {
    /** Length of a tar record, bytes. An entry has at least one record. */
    private static final int RECORD = 512;

    /** The figures of an end that reports nothing. */
    public static final Figures NONE = counts(0, 0, 0, 0, -1);

    /** Creates figures without the times of stages. */
    public static Figures counts(int entries, long contentBytes, long rawBytes, long wireBytes, long cpuNanos) {
        return new Figures(entries, contentBytes, rawBytes, wireBytes, 0, 0, 0, 0, cpuNanos);
    }

    /** Returns the figures of two parts of one transfer. */
    public Figures plus(Figures other) {
        return new Figures(
                entries + other.entries,
                contentBytes + other.contentBytes,
                rawBytes + other.rawBytes,
                wireBytes + other.wireBytes,
                readNanos + other.readNanos,
                linkNanos + other.linkNanos,
                decodeNanos + other.decodeNanos,
                unpackNanos + other.unpackNanos,
                cpuNanos < 0 || other.cpuNanos < 0 ? -1 : cpuNanos + other.cpuNanos);
    }

    /** Returns a copy with known sizes, and with counts that another end claims, which are limited by the size of the tar. */
    public Figures bounded(int claimedEntries, long claimedBytes, long knownRawBytes, long knownWireBytes) {
        return new Figures(
                (int) Math.max(0, Math.min(claimedEntries, knownRawBytes / RECORD)),
                Math.max(0, Math.min(claimedBytes, knownRawBytes)),
                knownRawBytes,
                knownWireBytes,
                readNanos,
                linkNanos,
                decodeNanos,
                unpackNanos,
                cpuNanos);
    }
}
