package io.jenkins.plugins.compressionaware.overview;

import io.jenkins.plugins.compressionaware.adapt.Usage;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.send.SendReport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/** Figures of several transfers. Bytes and times are those of completed ones. Cannot be changed. */
@ExportedBean(defaultVisibility = 2)
public final class Sums {
    static final Sums NONE = new Sums(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** What core uses. */
    private static final int CORES_LEVEL = 6;

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

    /** Raw bytes of the blocks that were given gzip 6, as core gives all. */
    @Exported
    public final long gzipBytes;

    /** What became of {@link #gzipBytes}. */
    @Exported
    public final long gzipWireBytes;

    /** Time to compress {@link #gzipBytes} on one thread, microseconds. */
    @Exported
    public final long gzipMicros;

    private Sums(
            long transfers,
            long failed,
            long rawBytes,
            long wireBytes,
            long directBytes,
            long duration,
            long cpu,
            long cpuBytes,
            long gzipBytes,
            long gzipWireBytes,
            long gzipMicros) {
        this.transfers = transfers;
        this.failed = failed;
        this.rawBytes = rawBytes;
        this.wireBytes = wireBytes;
        this.directBytes = directBytes;
        this.duration = duration;
        this.cpu = cpu;
        this.cpuBytes = cpuBytes;
        this.gzipBytes = gzipBytes;
        this.gzipWireBytes = gzipWireBytes;
        this.gzipMicros = gzipMicros;
    }

    static Sums of(TransferResult result) {
        SendReport sent = result.sent();
        ReceiveReport received = result.received();
        if (sent == null || received == null) {
            return new Sums(1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        }
        long raw = result.rawBytes();
        boolean cpuKnown = sent.cpuNanos() >= 0 && received.cpuNanos() >= 0;
        long bytes = 0;
        long wire = 0;
        long nanos = 0;
        List<Usage> usages = new ArrayList<>(sent.usages());
        if (sent.sample() != null) {
            usages.add(sent.sample());
        }
        for (Usage usage : usages) {
            // an agent may say anything; what was not timed tells nothing; of an unstash, another machine has
            // compressed, if any
            if (result.transfer().kind() != Transfer.Kind.UNSTASH
                    && usage.choice().codec() == Codec.GZIP
                    && usage.choice().level() == CORES_LEVEL
                    && Math.min(Math.min(usage.rawBytes(), usage.wireBytes()), usage.nanos()) > 0) {
                bytes += usage.rawBytes();
                wire += usage.wireBytes();
                nanos += usage.nanos();
            }
        }
        return new Sums(
                1,
                0,
                raw,
                received.wireBytes(),
                result.directBytes(),
                Math.max(1, TimeUnit.NANOSECONDS.toMillis(result.nanos())),
                cpuKnown ? TimeUnit.NANOSECONDS.toMillis(sent.cpuNanos() + received.cpuNanos()) : 0,
                cpuKnown ? raw : 0,
                bytes,
                wire,
                TimeUnit.NANOSECONDS.toMicros(nanos));
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
                cpuBytes + other.cpuBytes,
                gzipBytes + other.gzipBytes,
                gzipWireBytes + other.gzipWireBytes,
                gzipMicros + other.gzipMicros);
    }

    /** Raw bytes per second of the time that transfers took; 0 if there were none. */
    public double rate() {
        return duration == 0 ? 0 : rawBytes * 1000.0 / duration;
    }
}
