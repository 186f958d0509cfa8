package io.jenkins.plugins.compressionaware.overview;

import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.send.SendReport;
import java.util.concurrent.TimeUnit;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/** Figures of several transfers. Bytes and times are those of completed ones. Cannot be changed. */
@ExportedBean(defaultVisibility = 2)
public final class Sums {
    static final Sums NONE = new Sums(0, 0, 0, 0, 0, 0, 0, 0);

    /** Completed or not. */
    @Exported
    public final long transfers;

    /** That were not completed. */
    @Exported
    public final long failed;

    /** Of the files' contents. */
    @Exported
    public final long rawBytes;

    /** Of the frames. */
    @Exported
    public final long wireBytes;

    /** Of those that arrived over the direct lane. */
    @Exported
    public final long directBytes;

    /** One after the other, milliseconds. */
    @Exported
    public final long duration;

    /** Of both ends, milliseconds, where both are known. */
    @Exported
    public final long cpu;

    /** Raw bytes of the transfers whose {@link #cpu} is known. */
    @Exported
    public final long cpuBytes;

    private Sums(
            long transfers,
            long failed,
            long rawBytes,
            long wireBytes,
            long directBytes,
            long duration,
            long cpu,
            long cpuBytes) {
        this.transfers = transfers;
        this.failed = failed;
        this.rawBytes = rawBytes;
        this.wireBytes = wireBytes;
        this.directBytes = directBytes;
        this.duration = duration;
        this.cpu = cpu;
        this.cpuBytes = cpuBytes;
    }

    static Sums of(TransferResult result) {
        SendReport sent = result.sent();
        ReceiveReport received = result.received();
        if (sent == null || received == null) {
            return new Sums(1, 1, 0, 0, 0, 0, 0, 0);
        }
        long raw = result.rawBytes();
        boolean cpuKnown = sent.cpuNanos() >= 0 && received.cpuNanos() >= 0;
        return new Sums(
                1,
                0,
                raw,
                received.wireBytes(),
                result.directBytes(),
                Math.max(1, TimeUnit.NANOSECONDS.toMillis(result.nanos())),
                cpuKnown ? TimeUnit.NANOSECONDS.toMillis(sent.cpuNanos() + received.cpuNanos()) : 0,
                cpuKnown ? raw : 0);
    }

    Sums plus(Sums other) {
        return new Sums(
                transfers + other.transfers,
                failed + other.failed,
                rawBytes + other.rawBytes,
                wireBytes + other.wireBytes,
                directBytes + other.directBytes,
                duration + other.duration,
                cpu + other.cpu,
                cpuBytes + other.cpuBytes);
    }

    /** Raw bytes per second of the time that transfers took; 0 if there were none. */
    public double rate() {
        return duration == 0 ? 0 : rawBytes * 1000.0 / duration;
    }
}
