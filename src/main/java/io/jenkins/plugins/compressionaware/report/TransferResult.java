package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.ChannelClosedException;
import hudson.remoting.RequestAbortedException;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.report.StageTimes.Stage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/**
 * The result of a transfer, passed to listeners and saved with the build. Figures from an agent are limited to the amounts that the controller counted, and
 * the size of a result is bounded. Sizes are in bytes, times in milliseconds.
 */
@ExportedBean(defaultVisibility = 2)
public final class TransferResult {
    private static final int MAX_TEXT = 120;
    private static final int MAX_REASON_LENGTH = 300;

    /** Maximum number of codecs and levels; only those with the most bytes are listed. */
    private static final int MAX_CODECS = 4;

    /** Upper limit for threads and connections of one transfer. */
    private static final int MAX_THREADS = 64;

    /** A disk that limits a transfer below this rate, bytes per second, is slow: a network or spinning disk. */
    private static final long SLOW_DISK = 50_000_000;

    /** Minimum milliseconds of a transfer to judge a disk, because a JVM that loads its classes is slow as well. */
    private static final long MIN_MILLIS_FOR_DISK = 1000;

    public enum Outcome {
        COMPLETED,
        /** Failed for another reason, which the build log contains. */
        FAILED,
        /** Interrupted, usually by a user. */
        ABORTED,
        /** The connection to the agent was lost. */
        DISCONNECTED,
        /** A block was damaged during the transfer. */
        DAMAGED
    }

    @Exported
    public final TransferInfo.Operation operation;

    /** Name of the stash, or of the build whose artifacts were fetched; null for an archive. */
    @Exported
    @CheckForNull
    public final String label;

    /** Name of the agent; empty if the agent had disconnected, {@code (built-in)} for the controller. */
    @Exported
    public final String agent;

    /** Localized name of the folder, job or step that chose codec and level; null for the system setting. */
    @Exported
    @CheckForNull
    public final String chosenBy;

    @Exported
    public final Outcome outcome;

    /** First line of the exception's message; null if the transfer was completed or the message is empty. May contain file names. */
    @Exported
    @CheckForNull
    public final String failure;

    /** Milliseconds since 1970. */
    @Exported
    public final long start;

    /** At least 1. */
    @Exported
    public final long duration;

    /** Files received; if the transfer was not completed, the number requested, or 0. */
    @Exported
    public final int files;

    /** Bytes of the files' contents; 0 if the transfer was not completed. */
    @Exported
    public final long rawBytes;

    /** Bytes of the frames; if the transfer was not completed, the bytes received. */
    @Exported
    public final long wireBytes;

    /** Wire bytes transferred over the channel. Together with {@link #directBytes} they may exceed {@link #wireBytes}, because some are sent twice. */
    @Exported
    public final long channelBytes;

    /** Wire bytes transferred over the direct lane. */
    @Exported
    public final long directBytes;

    /** Number of the reference build whose signature the agent received; 0 for none. */
    @Exported
    public final int referenceBuild;

    /** Raw bytes reused from the {@link #referenceBuild}. */
    @Exported
    public final long reusedBytes;

    /** Bytes of the packed archive; 0 if the files are not packed. */
    @Exported
    public final long storedBytes;

    /** Name of the store that sent or received the bytes; null if the controller did. */
    @CheckForNull
    @Exported
    public final String store;

    /** How often the connection to the agent was lost and came back. */
    @Exported
    public final int interruptions;

    /** Streams over the channel. */
    @Exported(name = "streams")
    public final int lanes;

    /** Connections of the direct lane. */
    @Exported
    public final int connections;

    /** Codecs with the most bytes, in descending order; empty for a stash sent as stored, or if the transfer was not completed. */
    @Exported(inline = true)
    public final List<CodecShare> codecs;

    /** Whether {@code auto} chose codec and level of each block. */
    @Exported
    public final boolean auto;

    /** The bottleneck; null if no stage was busy for half of the time, or if the transfer was not completed. */
    @Exported
    @CheckForNull
    public final Bottleneck bottleneck;

    /** Rate of the {@link #bottleneck} in bytes per second: wire bytes for the network and the distance, else raw bytes; 0 if there is none. */
    @Exported
    public final long bottleneckRate;

    /** Whether the bottleneck is a slow disk. */
    @Exported
    public final boolean diskBound;

    /** Files written to the slow disk in parallel; 0 if the disk was read or is not slow. */
    @Exported
    public final int writers;

    /** Codecs that did not load on the agent, with reasons, in one line; null if there were none. */
    @Exported
    @CheckForNull
    public final String unavailableCodecs;

    /** Null if the transfer was not completed. */
    @Exported(inline = true)
    @CheckForNull
    public final StageTimes stageTimes;

    /** CPU time of the sending end; -1 if unknown. */
    @Exported
    public final long sendingCpu;

    /** CPU time of the receiving end; -1 if unknown. */
    @Exported
    public final long receivingCpu;

    /** @param thrown failure of the transfer; null if it was completed */
    TransferResult(
            TransferProgress running,
            int lanes,
            @CheckForNull Throwable thrown,
            SendReport sent,
            ReceiveReport received) {
        boolean completed = thrown == null;
        TransferInfo transfer = running.transfer();
        operation = transfer.operation();
        label = shortened(transfer.stash());
        agent = shortened(transfer.agent());
        chosenBy = shortened(transfer.chosenBy());
        outcome = outcome(thrown);
        failure = thrown == null ? null : reason(thrown);
        start = running.startMillis();
        duration = Math.max(1, TimeUnit.NANOSECONDS.toMillis(running.nanos()));
        files = received.figures().entries();
        rawBytes = received.figures().contentBytes();
        channelBytes = running.channelBytes();
        directBytes = running.directBytes();
        wireBytes = completed ? received.figures().wireBytes() : channelBytes + directBytes;
        referenceBuild = running.referenceBuild();
        reusedBytes = clamp(running.reusedBytes(), rawBytes);
        storedBytes = completed ? running.storedBytes() : 0;
        store = shortened(running.store());
        interruptions = running.interruptions();
        this.lanes = lanes;
        connections = sent.direct() == null ? 0 : (int) clamp(sent.direct().connections(), MAX_THREADS);
        codecs = codecs(sent, Math.max(received.figures().rawBytes(), rawBytes), wireBytes);
        auto = completed && sent.auto();
        unavailableCodecs = sent.zstdProblem() == null ? null : BuildLogMessages.oneLine("zstd: " + sent.zstdProblem());
        StageTimes times = new StageTimes(sent, received, meanLanes(), duration);
        stageTimes = completed ? times : null;
        sendingCpu = cpu(sent.figures().cpuNanos());
        receivingCpu = cpu(received.figures().cpuNanos());
        Stage stage = times.longest(duration);
        long millis = stage == null ? 1 : times.of(stage);
        bottleneck = Bottleneck.of(this, stage, millis, running);
        boolean isDisk = bottleneck == Bottleneck.AGENTS_DISK || bottleneck == Bottleneck.CONTROLLERS_DISK;
        writers = isDisk && stage == Stage.WRITING ? (int) clamp(received.writers(), MAX_THREADS) : 0;
        bottleneckRate = stage == null ? 0 : 1000 * (stage == Stage.LINK ? wireBytes : rawBytes) / millis;
        diskBound = writers > 0 || isDisk && duration >= MIN_MILLIS_FOR_DISK && bottleneckRate < SLOW_DISK;
    }

    /** Returns the mean number of lanes, weighted by bytes: streams and direct lanes send in turn. */
    private int meanLanes() {
        // the last attempt after a lost connection may have had no direct lanes
        double share = connections == 0 ? 0 : (double) directBytes / Math.max(1, channelBytes + directBytes);
        return (int) Math.round(lanes + share * (connections - lanes));
    }

    @CheckForNull
    private static String reason(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank()
                ? null
                : BuildLogMessages.oneLine(message.strip().lines().findFirst().orElse(null), MAX_REASON_LENGTH);
    }

    private static Outcome outcome(@CheckForNull Throwable failure) {
        for (Throwable e : Causes.of(failure).toList()) {
            if (e instanceof InterruptedException) {
                return Outcome.ABORTED;
            }
            if (e instanceof ChannelClosedException || e instanceof RequestAbortedException) {
                return Outcome.DISCONNECTED;
            }
            if (e instanceof CorruptFrameException) {
                return Outcome.DAMAGED;
            }
        }
        return failure == null ? Outcome.COMPLETED : Outcome.FAILED;
    }

    private static List<CodecShare> codecs(SendReport sent, long rawBytes, long wireBytes) {
        List<CodecShare> shares = new ArrayList<>();
        long raw = rawBytes;
        long wire = wireBytes;
        List<CodecUsage> largestFirst = sent.usages().stream()
                .filter(usage -> usage.rawBytes() > 0)
                .sorted(Comparator.comparingLong(CodecUsage::rawBytes).reversed())
                .limit(MAX_CODECS)
                .toList();
        for (CodecUsage usage : largestFirst) {
            CodecShare share =
                    new CodecShare(usage.choice(), clamp(usage.rawBytes(), raw), clamp(usage.wireBytes(), wire));
            shares.add(share);
            raw -= share.rawBytes;
            wire -= share.wireBytes;
        }
        return shares;
    }

    private long cpu(long nanos) {
        return nanos < 0 ? -1 : clamp(TimeUnit.NANOSECONDS.toMillis(nanos), duration * MAX_THREADS);
    }

    static long clamp(long reported, long max) {
        return Math.max(0, Math.min(reported, max));
    }

    @CheckForNull
    private static String shortened(@CheckForNull String text) {
        return text == null ? null : BuildLogMessages.oneLine(text, MAX_TEXT);
    }

    /** Returns whether a field is missing because another version saved this result. */
    boolean isIncomplete() {
        return operation == null || outcome == null || agent == null || codecs == null;
    }
}
