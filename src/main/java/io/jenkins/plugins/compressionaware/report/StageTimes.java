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
 * Busy time of each stage of a transfer in milliseconds, averaged over the stage's threads. The stages run concurrently, so the busiest stage delays the
 * others. Saved with builds.
 */
@ExportedBean(defaultVisibility = 2)
public final class StageTimes {
    /** The stages in the order in which bytes pass through them. */
    public enum Stage {
        READING,
        COMPRESSING,
        LINK,
        DECODING,
        WRITING
    }

    @Exported
    public final long reading;

    @Exported
    public final long compressing;

    /** Writing to the lanes: the network, and the receiving end's channel. */
    @Exported
    public final long link;

    @Exported
    public final long decoding;

    @Exported
    public final long writing;

    /** @param duration duration of the transfer, the upper limit of each stage, milliseconds */
    StageTimes(SendReport sent, ReceiveReport received, int lanes, long duration) {
        reading = millis(sent.figures().readNanos(), 1, duration);
        compressing = millis(sent.usages().stream().mapToLong(CodecUsage::nanos).sum(), sent.threads(), duration);
        // a frame file is sent by range requests, so only the receiver can measure the network
        link = sent.usages().isEmpty()
                ? millis(received.figures().linkNanos(), 1, duration)
                : millis(sent.figures().linkNanos(), lanes, duration);
        decoding = millis(received.figures().decodeNanos(), Receiver.DECODERS, duration);
        writing = millis(received.figures().unpackNanos(), 1, duration);
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

    /** Returns the busiest stage; null if no stage was busy for half of the transfer's time. */
    @CheckForNull
    Stage longest(long duration) {
        return Arrays.stream(Stage.values())
                .filter(stage -> of(stage) * 2 >= duration)
                .max(Comparator.comparingLong(this::of))
                .orElse(null);
    }

    /** Returns whether the sending end reported its times. */
    public boolean isComplete() {
        return reading + compressing + link > 0;
    }
}
