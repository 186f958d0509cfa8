package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A receiver's own measurements. Times are in nanoseconds.
 *
 * @param entries      files, links and directories received
 * @param contentBytes bytes of file contents
 * @param rawBytes     bytes of the tar stream, before the codec
 * @param wireBytes    bytes of the frames, after the codec
 * @param waitingNanos time in which there was no frame to work on, after the first
 * @param decodeNanos  time to decode, summed over {@link Receiver#DECODERS} threads
 * @param unpackNanos  time to unpack and write files, without waiting for blocks
 * @param cpuNanos     CPU time of decoding, unpacking and writing, without remoting's thread for the channel's streams; -1 where the JVM
 *     does not tell
 * @param warnings     what could not be made as it was sent; at most as many as there are kinds of warnings
 * @param writers      how many files were written at a time because the disk was slow; 0 if it was not
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

    /** Bytes of a tar's record: an entry has at least one. */
    private static final int RECORD = 512;

    public static ReceiveReport untimed(int entries, long contentBytes, long rawBytes, long wireBytes, long cpuNanos) {
        return new ReceiveReport(entries, contentBytes, rawBytes, wireBytes, 0, 0, 0, cpuNanos, List.of(), 0);
    }

    public ReceiveReport {
        // into a type that may cross the channel; another machine may leave out anything, or send a list that is longer
        // than its bytes
        List<ExtractionWarning> said = warnings == null ? List.of() : warnings;
        warnings = new ArrayList<>(said.subList(0, Math.min(said.size(), ExtractionWarning.Type.values().length)));
        warnings.removeIf(warning -> warning == null || warning.kind() == null);
    }

    /**
     * The same with the sender's own counts, for a receiver that keeps frames and does not look into them. Counts are capped by the room in the tar.
     */
    public ReceiveReport withSenderCounts(int sentEntries, long sentBytes) {
        return withSenderCounts(sentEntries, sentBytes, rawBytes, wireBytes);
    }

    /** Another machine's report on a stored file that it has unpacked, with the sizes of that file as known here. */
    public ReceiveReport withKnownSizes(long fileRawBytes, long fileWireBytes) {
        return withSenderCounts(entries, contentBytes, fileRawBytes, fileWireBytes);
    }

    private ReceiveReport withSenderCounts(int saidEntries, long saidBytes, long knownRawBytes, long knownWireBytes) {
        return new ReceiveReport(
                (int) Math.max(0, Math.min(saidEntries, knownRawBytes / RECORD)),
                Math.max(0, Math.min(saidBytes, knownRawBytes)),
                knownRawBytes,
                knownWireBytes,
                waitingNanos,
                decodeNanos,
                unpackNanos,
                cpuNanos,
                warnings,
                writers);
    }

    /** This report together with a later one. */
    public ReceiveReport plus(ReceiveReport later) {
        return new ReceiveReport(
                entries + later.entries,
                contentBytes + later.contentBytes,
                rawBytes + later.rawBytes,
                wireBytes + later.wireBytes,
                waitingNanos + later.waitingNanos,
                decodeNanos + later.decodeNanos,
                unpackNanos + later.unpackNanos,
                cpuNanos < 0 || later.cpuNanos < 0 ? -1 : cpuNanos + later.cpuNanos,
                warnings,
                Math.max(writers, later.writers));
    }
}
