package io.jenkins.plugins.compressionaware.report;

import io.jenkins.plugins.compressionaware.adapt.Usage;
import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.receive.Receiver;
import io.jenkins.plugins.compressionaware.send.SendReport;
import java.io.Serializable;
import java.util.concurrent.TimeUnit;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/**
 * How long each stage of a transfer was busy, milliseconds, on average over its threads. The stages work at the same time, so the longest is what
 * the others have waited for. Saved with builds.
 */
@ExportedBean(defaultVisibility = 2)
public final class StageFigures implements Serializable {
    private static final long serialVersionUID = 1;

    /** Reading files and making tar of them. */
    @Exported
    public final long reading;

    @Exported
    public final long compressing;

    /** Writes to the lanes: the network, what is around it, and the other end's channel. */
    @Exported
    public final long link;

    @Exported
    public final long decoding;

    /** Unpacking and writing files. */
    @Exported
    public final long writing;

    StageFigures(SendReport sent, ReceiveReport received, int lanes) {
        reading = millis(sent.readNanos());
        compressing = millis(sent.usages().stream().mapToLong(Usage::nanos).sum() / Math.max(1, sent.threads()));
        // what has been stored is sent as it is ordered
        link = millis(sent.usages().isEmpty() ? received.waitingNanos() : sent.writeNanos() / Math.max(1, lanes));
        decoding = millis(received.decodeNanos() / Receiver.DECODERS);
        writing = millis(received.unpackNanos());
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
