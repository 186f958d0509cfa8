package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.adapt.Reason;
import io.jenkins.plugins.compressionaware.adapt.Usage;
import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.send.SendReport;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/** The figures of one transfer that is over. Saved with its build: no file names, and of bounded size. Bytes, and times in milliseconds. */
@ExportedBean(defaultVisibility = 2)
public final class TransferFigures implements Serializable {
    private static final long serialVersionUID = 1;

    /** Longest text that is kept, in characters. */
    private static final int LONGEST = 120;

    /** So many codecs and levels are kept, those with most bytes. */
    private static final int MOST_CODECS = 4;

    /** How it ended. */
    public enum Outcome {
        COMPLETED,
        FAILED,
        ABORTED
    }

    @Exported
    public final Transfer.Kind kind;

    /** Name of the stash; null for an archive. */
    @Exported
    @CheckForNull
    public final String stash;

    /** Name of the agent; empty if it had just gone. */
    @Exported
    public final String agent;

    @Exported
    public final Outcome outcome;

    /** Milliseconds since 1970. */
    @Exported
    public final long start;

    /** At least 1. */
    @Exported
    public final long duration;

    /** That arrived; of a transfer that was not completed, that it was asked for, or 0. */
    @Exported
    public final int files;

    /** Of the files' contents; 0 of a transfer that was not completed. */
    @Exported
    public final long rawBytes;

    /** Of the frames; of a transfer that was not completed, that arrived. */
    @Exported
    public final long wireBytes;

    /** Of those that went over the direct lane. */
    @Exported
    public final long directBytes;

    /** Streams over the channel. */
    @Exported
    public final int lanes;

    /** Of the direct lane. */
    @Exported
    public final int connections;

    /** Most bytes first; empty of a transfer that was not completed. */
    @Exported(inline = true)
    public final ArrayList<CodecFigures> codecs;

    /** Why {@code auto} chose so; null if codec and level were prescribed. */
    @Exported
    @CheckForNull
    public final Reason.Limit limit;

    /** Rate of that, bytes per second; 0 if it has none. */
    @Exported
    public final long limitRate;

    /** Null of a transfer that was not completed. */
    @Exported(inline = true)
    @CheckForNull
    public final StageFigures busy;

    /** Processor time of the sending end; -1 if unknown. */
    @Exported
    public final long sendingCpu;

    /** Processor time of the receiving end; -1 if unknown. */
    @Exported
    public final long receivingCpu;

    public TransferFigures(TransferResult result) {
        Transfer transfer = result.transfer();
        SendReport sent = result.sent();
        ReceiveReport received = result.received();
        boolean completed = sent != null && received != null;
        Reason reason = completed ? sent.reason() : null;
        kind = transfer.kind();
        String name = transfer.stash();
        stash = name == null ? null : shortened(name);
        agent = shortened(transfer.agent());
        outcome = outcome(result);
        start = result.startMillis();
        duration = Math.max(1, TimeUnit.NANOSECONDS.toMillis(result.nanos()));
        files = completed ? received.entries() : transfer.files();
        rawBytes = result.rawBytes();
        wireBytes = completed ? received.wireBytes() : result.channelBytes() + result.directBytes();
        directBytes = result.directBytes();
        lanes = result.lanes();
        connections = result.connections();
        codecs = completed ? codecs(sent) : new ArrayList<>();
        limit = reason == null ? null : reason.limit();
        limitRate = reason == null ? 0 : Math.round(reason.bytesPerSecond());
        busy = completed ? new StageFigures(sent, received, connections > 0 ? connections : lanes) : null;
        sendingCpu = completed ? cpu(sent.cpuNanos()) : -1;
        receivingCpu = completed ? cpu(received.cpuNanos()) : -1;
    }

    private static Outcome outcome(TransferResult result) {
        if (result.failure() == null) {
            return Outcome.COMPLETED;
        }
        return result.failure() instanceof InterruptedException ? Outcome.ABORTED : Outcome.FAILED;
    }

    private static ArrayList<CodecFigures> codecs(SendReport sent) {
        return sent.usages().stream()
                .filter(usage -> usage.rawBytes() > 0)
                .sorted(Comparator.comparingLong(Usage::rawBytes).reversed())
                .limit(MOST_CODECS)
                .map(CodecFigures::new)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private static long cpu(long nanos) {
        return nanos < 0 ? -1 : TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    private static String shortened(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "\u2026";
    }

    /** Whether a version with other constants has saved it. */
    boolean isIncomplete() {
        return kind == null || outcome == null || agent == null || codecs == null;
    }
}
