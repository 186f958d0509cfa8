package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A receiver's measurements. A report from an agent is not trusted: counts and warnings are limited. Times are in nanoseconds.
 *
 * @param entries      files, links and directories received
 * @param contentBytes bytes of file contents
 * @param rawBytes     bytes of the tar, after decoding
 * @param wireBytes    bytes of the frames, before decoding
 * @param waitingNanos time spent waiting for frames, except for the first frame
 * @param decodeNanos  time spent decoding, summed over up to {@link Receiver#DECODERS} threads
 * @param unpackNanos  time spent unpacking and writing files, without waiting for blocks
 * @param cpuNanos     CPU time of decoding, unpacking and writing, without Remoting's thread for streams; -1 if the JVM does not measure it
 * @param warnings     entries that could not be created exactly as sent; at most one warning per {@link ExtractionWarning.Type}
 * @param writers      how many files were written in parallel because the disk was slow; 0 if it was not slow
 */
@Restricted(NoExternalUse.class)
public record ReceiveReport(
        int entries,
        long contentBytes,
        long rawBytes,
        long wireBytes,
        long waitingNanos,
        long decodeNanos,
        long unpackNanos,
        long cpuNanos,
        List<ExtractionWarning> warnings,
        int writers)
        implements Serializable {
    private static final long serialVersionUID = 1;

    /** Length of a tar record, bytes. An entry has at least one record. */
    private static final int RECORD = 512;

    /** Creates a report without times and warnings. */
    public static ReceiveReport untimed(int entries, long contentBytes, long rawBytes, long wireBytes, long cpuNanos) {
        return new ReceiveReport(entries, contentBytes, rawBytes, wireBytes, 0, 0, 0, cpuNanos, List.of(), 0);
    }

    public ReceiveReport {
        // copied into a list that Remoting may send; an agent's list may be null, too long, or contain null
        List<ExtractionWarning> received = warnings == null ? List.of() : warnings;
        warnings =
                new ArrayList<>(received.subList(0, Math.min(received.size(), ExtractionWarning.Type.values().length)));
        warnings.removeIf(warning -> warning == null || warning.type() == null);
    }

    /** Returns a copy with the sender's counts, limited by the size of the tar, for a receiver that does not unpack the tar. */
    public ReceiveReport withSenderCounts(int sentEntries, long sentBytes) {
        return withSenderCounts(sentEntries, sentBytes, rawBytes, wireBytes);
    }

    /** Returns a copy of an agent's report on a frame file, with the known sizes of that file. Counts are limited by the size of the tar. */
    public ReceiveReport withKnownSizes(long fileRawBytes, long fileWireBytes) {
        return withSenderCounts(entries, contentBytes, fileRawBytes, fileWireBytes);
    }

    private ReceiveReport withSenderCounts(
            int claimedEntries, long claimedBytes, long knownRawBytes, long knownWireBytes) {
        int known = (int) Math.max(0, Math.min(claimedEntries, knownRawBytes / RECORD));
        return new ReceiveReport(
                known,
                Math.max(0, Math.min(claimedBytes, knownRawBytes)),
                knownRawBytes,
                knownWireBytes,
                waitingNanos,
                decodeNanos,
                unpackNanos,
                cpuNanos,
                warnings.stream().map(warning -> warning.limited(known)).toList(),
                writers);
    }

    /** Returns the report on this and a later part of one transfer. The later report counts the entries and contents of both. */
    public ReceiveReport continuedBy(ReceiveReport later) {
        return new ReceiveReport(
                later.entries,
                later.contentBytes,
                rawBytes + later.rawBytes,
                wireBytes + later.wireBytes,
                later.waitingNanos,
                decodeNanos + later.decodeNanos,
                unpackNanos + later.unpackNanos,
                cpuNanos < 0 || later.cpuNanos < 0 ? -1 : cpuNanos + later.cpuNanos,
                warnings,
                later.writers);
    }
}
