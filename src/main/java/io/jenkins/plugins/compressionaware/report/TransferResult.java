package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.Nullable;
import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.send.SendReport;

/**
 * All figures of a transfer that is over. Those of the agent's end are what the agent says.
 *
 * @param startMillis  when it started, milliseconds since 1970
 * @param nanos        how long it took, nanoseconds, at least 1
 * @param channelBytes wire bytes that arrived over the channel
 * @param directBytes  wire bytes that arrived over the direct lane. Both together may be more than the frames have: some come twice
 * @param lanes        streams over the channel
 * @param connections  of the direct lane that were opened; 0 if none
 * @param sent         what the sending end has measured; null if the transfer has failed
 * @param received     what the receiving end has measured; null if the transfer has failed
 * @param failure      why it failed; null if it was completed. An {@link InterruptedException} if somebody has aborted it
 */
public record TransferResult(
        Transfer transfer,
        long startMillis,
        long nanos,
        long channelBytes,
        long directBytes,
        int lanes,
        int connections,
        @Nullable SendReport sent,
        @Nullable ReceiveReport received,
        @CheckForNull Throwable failure) {
    /** Bytes of the files' contents; 0 if the transfer has failed. */
    public long rawBytes() {
        return received == null ? 0 : received.contentBytes();
    }
}
