package io.jenkins.plugins.compressionaware.receive;

import io.jenkins.plugins.compressionaware.tar.Remark;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * What a receiver has measured itself. Times are in nanoseconds.
 *
 * @param entries      files, links and directories received
 * @param contentBytes bytes of file contents
 * @param rawBytes     bytes of the tar stream, before the codec
 * @param wireBytes    bytes of the frames, after the codec
 * @param waitingNanos time in which there was no frame to work on, after the first
 * @param decodeNanos  time to decode, summed over {@link Receiver#DECODERS} threads
 * @param unpackNanos  time to unpack and write files, without waiting for blocks
 * @param cpuNanos     CPU time of decoding, unpacking and writing, without the thread that reads the channel; -1 where the JVM does
 *     not tell
 * @param remarks      what landed otherwise than it was sent; at most one of each kind
 */
public record ReceiveReport(
        int entries,
        long contentBytes,
        long rawBytes,
        long wireBytes,
        long waitingNanos,
        long decodeNanos,
        long unpackNanos,
        long cpuNanos,
        List<Remark> remarks)
        implements Serializable {
    private static final long serialVersionUID = 1;

    public ReceiveReport {
        // of a type that may cross the channel
        remarks = new ArrayList<>(remarks);
    }

    /** The same with what the sender says it sent: who only keeps frames does not look into them. */
    public ReceiveReport counted(int sentEntries, long sentBytes) {
        return new ReceiveReport(
                sentEntries, sentBytes, rawBytes, wireBytes, waitingNanos, decodeNanos, unpackNanos, cpuNanos, remarks);
    }
}
