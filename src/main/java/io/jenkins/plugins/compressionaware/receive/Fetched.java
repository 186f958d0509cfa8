package io.jenkins.plugins.compressionaware.receive;

import io.jenkins.plugins.compressionaware.tar.Remark;
import io.jenkins.plugins.compressionaware.transfer.DirectReport;
import java.io.Serializable;
import java.util.ArrayList;

/**
 * What the end that fetched a stored file says. Times are in nanoseconds; as in {@link ReceiveReport}.
 *
 * @param direct what came of the direct lanes; null if none were tried
 */
public record Fetched(
        int entries,
        long contentBytes,
        long rawBytes,
        long wireBytes,
        long waitingNanos,
        long decodeNanos,
        long cpuNanos,
        ArrayList<Remark> remarks,
        DirectReport direct)
        implements Serializable {
    private static final long serialVersionUID = 1;

    public ReceiveReport received() {
        return new ReceiveReport(
                entries, contentBytes, rawBytes, wireBytes, waitingNanos, decodeNanos, cpuNanos, remarks);
    }
}
