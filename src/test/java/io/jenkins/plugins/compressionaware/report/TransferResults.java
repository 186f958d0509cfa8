package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;

/** Creates results of transfers for tests. */
public final class TransferResults {
    private TransferResults() {}

    /** Describes a transfer of build 1 of the job {@code job} on the agent {@code agent}. */
    public static TransferInfo transfer(TransferInfo.Operation operation) {
        return new TransferInfo(operation, "job", 1, "agent", null, 1, null);
    }

    public static RunningTransfer running(TransferInfo.Operation operation) {
        return RunningTransfer.withoutListeners(transfer(operation));
    }

    /**
     * Creates the result of a completed transfer.
     *
     * @param channelBytes wire bytes over the channel
     * @param directBytes  wire bytes over the direct lane
     */
    public static TransferResult completed(
            TransferInfo transfer,
            long millis,
            long channelBytes,
            long directBytes,
            int lanes,
            SendReport sent,
            ReceiveReport received) {
        return new TransferResult(
                new Ended(transfer, millis, channelBytes, directBytes, 0, 0, 0, 0, 0, null),
                lanes,
                null,
                sent,
                received);
    }

    /** Creates the result of a transfer that reused bytes of build 1. */
    public static TransferResult shortened(
            TransferInfo transfer,
            long millis,
            long channelBytes,
            long reusedBytes,
            SendReport sent,
            ReceiveReport received) {
        return new TransferResult(
                new Ended(transfer, millis, channelBytes, 0, reusedBytes, 0, 0, 0, 0, null), 1, null, sent, received);
    }

    public static TransferResult failed(TransferInfo transfer, long millis, long channelBytes, Throwable failure) {
        return failed(transfer, millis, channelBytes, failure, null);
    }

    /** Creates the result of a failed transfer to a store. */
    static TransferResult failed(
            TransferInfo transfer, long millis, long channelBytes, Throwable failure, @CheckForNull String store) {
        return new TransferResult(
                new Ended(transfer, millis, channelBytes, 0, 0, 0, 0, 0, 0, store),
                1,
                failure,
                SendReport.NOTHING,
                ReceiveReport.of(Figures.counts(transfer.files(), 0, 0, 0, -1)));
    }

    /** The progress at the end of a transfer. */
    record Ended(
            TransferInfo transfer,
            long millis,
            long channelBytes,
            long directBytes,
            long reusedBytes,
            long storedBytes,
            long roundTripNanos,
            int sharedProcessors,
            int interruptions,
            @CheckForNull String store)
            implements TransferProgress {
        @Override
        public int referenceBuild() {
            return reusedBytes > 0 ? 1 : 0;
        }

        @Override
        public long startMillis() {
            return 1;
        }

        @Override
        public long nanos() {
            return millis * 1_000_000;
        }

        @Override
        public long idleNanos() {
            return 0;
        }

        @Override
        public long completedBytes() {
            return 0;
        }

        @Override
        public long totalBytes() {
            return 0;
        }
    }
}
