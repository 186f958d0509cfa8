package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/**
 * Milliseconds for which each stage of a transfer was busy, on average over its threads. The stages work at the same time, so the others waited for the
 * longest. Saved with builds.
 */
@ExportedBean(defaultVisibility = 2)
public final class StageTimes {
    /** In the order in which bytes pass through them. */
    public enum Stage {
        READING,
        COMPRESSING,
        LINK,
        DECODING,
        WRITING
    }

    /** Reading files and packing them as tar. */
    @Exported
    public final long reading;

    @Exported
    public final long compressing;

    /** Writes to the lanes: the network with everything around it, and the other end's channel. */
    @Exported
    public final long link;

    @Exported
    public final long decoding;

    /** Unpacking and writing files. */
    @Exported
    public final long writing;

    /** @param duration of the transfer, which no stage can exceed, milliseconds */
    StageTimes(SendReport sent, ReceiveReport received, int lanes, long duration) {
        reading = millis(sent.readNanos(), 1, duration);
        compressing = millis(sent.usages().stream().mapToLong(CodecUsage::nanos).sum(), sent.threads(), duration);
        // stored frames are sent as ordered, so the receiver measures the link
        link = sent.usages().isEmpty()
                ? millis(received.waitingNanos(), 1, duration)
                : millis(sent.writeNanos(), lanes, duration);
        decoding = millis(received.decodeNanos(), Receiver.DECODERS, duration);
        writing = millis(received.unpackNanos(), 1, duration);
    }

    private static long millis(long nanos, int threads, long duration) {
        return TransferResult.clamp(TimeUnit.NANOSECONDS.toMillis(nanos / Math.max(1, threads)), duration);
    }

    public long of(Stage stage) {
        return switch (stage) {
            case READING -> reading;
            case COMPRESSING -> compressing;
            case LINK -> link;
            case DECODING -> decoding;
            case WRITING -> writing;
        };
    }

    /** Returns the busiest stage; null if no stage was busy for half of the transfer's time, because then none alone limited it. */
    @CheckForNull
    Stage longest(long duration) {
        return Arrays.stream(Stage.values())
                .filter(stage -> of(stage) * 2 >= duration)
                .max(Comparator.comparingLong(this::of))
                .orElse(null);
    }

    /** Whether the sending end has reported its times, too. */
    public boolean isComplete() {
        return reading + compressing + link > 0;
    }
}
