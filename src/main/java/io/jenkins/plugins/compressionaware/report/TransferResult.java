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
import java.util.stream.Collectors;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/**
 * A finished transfer, as listeners receive it and its build remembers it. It has a bounded size, no file names except in {@link #failure}, and no figure from an agent exceeds
 * what the controller has counted. Sizes are in bytes, times in milliseconds.
 */
@ExportedBean(defaultVisibility = 2)
public final class TransferResult {
    /** Longest text that is kept, in characters. */
    private static final int MAX_TEXT = 120;

    private static final int LONGEST_REASON = 300;

    /** Number of codecs and levels that are kept: those with most bytes. */
    private static final int MOST_CODECS = 4;

    /** No end has more threads or connections at work for one transfer. */
    private static final int MOST_THREADS = 64;

    /** A disk that is the limit is slow below this rate, bytes per second: it waits for a server or a spindle. */
    private static final long SLOW_DISK = 50_000_000;

    /** Shorter transfers do not show a slow disk, milliseconds: a JVM that loads its classes is slow, too. */
    private static final long LONG_ENOUGH = 1000;

    public enum Outcome {
        COMPLETED,
        /** For a reason given in the build log. */
        FAILED,
        /** By somebody. */
        ABORTED,
        /** The agent has gone. */
        DISCONNECTED,
        /** A block did not arrive as it was sent. */
        DAMAGED
    }

    @Exported
    public final TransferInfo.Operation kind;

    /** Name of the stash, or of the build fetched from; null for an archive. */
    @Exported
    @CheckForNull
    public final String label;

    /** Name of the agent; empty if it had just gone, {@code (built-in)} for the controller itself. */
    @Exported
    public final String agent;

    /** Who chose codec and level, for people; null if only the administrator did. */
    @Exported
    @CheckForNull
    public final String chosenBy;

    @Exported
    public final Outcome outcome;

    /** First line of the reason for a failure; null if the transfer was completed, or none was given. */
    @Exported
    @CheckForNull
    public final String failure;

    /** Milliseconds since 1970. */
    @Exported
    public final long start;

    /** At least 1. */
    @Exported
    public final long duration;

    /** Files that arrived; if the transfer was not completed, the number requested, or 0. */
    @Exported
    public final int files;

    /** Bytes of the files' contents; 0 if the transfer was not completed. */
    @Exported
    public final long rawBytes;

    /** Bytes of the frames; if the transfer was not completed, those that arrived. */
    @Exported
    public final long wireBytes;

    /** Wire bytes that went over the channel. With {@link #directBytes}, they may exceed {@link #wireBytes}: some come twice. */
    @Exported
    public final long channelBytes;

    /** Wire bytes that went over the direct lane. */
    @Exported
    public final long directBytes;

    /** Number of the build whose content the agent was told; 0 for none. */
    @Exported
    public final int referenceBuild;

    /** Raw bytes that did not travel because that build has them. */
    @Exported
    public final long reusedBytes;

    /** Streams over the channel. */
    @Exported
    public final int lanes;

    /** Connections of the direct lane. */
    @Exported
    public final int connections;

    /** Most bytes first; empty for an unstash that is sent as stored, and if the transfer was not completed. */
    @Exported(inline = true)
    public final List<CodecShare> codecs;

    /** Whether {@code auto} chose codec and level of each block. */
    @Exported
    public final boolean auto;

    /** What limited the transfer; null if nothing did for half of its time, or the transfer was not completed. */
    @Exported
    @CheckForNull
    public final Bottleneck bottleneck;

    /** Rate of the busiest stage, bytes per second: sent bytes for the network and the distance, else bytes of the files; 0 if there is none. */
    @Exported
    public final long bottleneckRate;

    /** Whether the limit is a disk that another would beat. */
    @Exported
    public final boolean diskBound;

    /** Files written at a time onto that disk; 0 if it was read from, or not slow. */
    @Exported
    public final int writers;

    /** Codecs that could not be used on the agent, and why, in one line; null if there were none. */
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

    TransferResult(TransferProgress running, int lanes, SendReport sent, ReceiveReport received) {
        this(running, lanes, Outcome.COMPLETED, null, sent, received);
    }

    /** A transfer that was not completed. Its ends have reported nothing. */
    TransferResult(TransferProgress running, int lanes, Throwable failure) {
        this(
                running,
                lanes,
                outcome(failure),
                reason(failure),
                SendReport.ofFrameFile(0, 0, 0, null),
                ReceiveReport.untimed(running.transfer().files(), 0, 0, 0, -1));
    }

    private TransferResult(
            TransferProgress running,
            int lanes,
            Outcome outcome,
            @CheckForNull String failure,
            SendReport sent,
            ReceiveReport received) {
        boolean completed = outcome == Outcome.COMPLETED;
        TransferInfo transfer = running.transfer();
        kind = transfer.kind();
        label = shortened(transfer.stash());
        agent = shortened(transfer.agent());
        chosenBy = shortened(transfer.chosenBy());
        this.outcome = outcome;
        this.failure = failure;
        start = running.startMillis();
        duration = Math.max(1, TimeUnit.NANOSECONDS.toMillis(running.nanos()));
        files = received.entries();
        rawBytes = received.contentBytes();
        channelBytes = running.channelBytes();
        directBytes = running.directBytes();
        wireBytes = completed ? received.wireBytes() : channelBytes + directBytes;
        referenceBuild = running.referenceBuild();
        reusedBytes = clamp(running.reusedBytes(), rawBytes);
        this.lanes = lanes;
        connections = sent.direct() == null ? 0 : (int) clamp(sent.direct().connections(), MOST_THREADS);
        codecs = codecs(sent, Math.max(received.rawBytes(), rawBytes), wireBytes);
        auto = completed && sent.auto();
        unavailableCodecs = unavailableCodecs(sent);
        StageTimes times = new StageTimes(sent, received, connections > 0 ? connections : lanes, duration);
        stageTimes = completed ? times : null;
        sendingCpu = cpu(sent.cpuNanos());
        receivingCpu = cpu(received.cpuNanos());
        Stage stage = times.longest(duration);
        long millis = stage == null ? 1 : times.of(stage);
        bottleneck = Bottleneck.of(this, stage, millis, running);
        boolean isDisk = bottleneck != null && bottleneck.isDisk();
        writers = isDisk && stage == Stage.WRITING ? (int) clamp(received.writers(), MOST_THREADS) : 0;
        bottleneckRate = stage == null ? 0 : 1000 * (stage == Stage.LINK ? wireBytes : rawBytes) / millis;
        diskBound = writers > 0 || isDisk && duration >= LONG_ENOUGH && bottleneckRate < SLOW_DISK;
    }

    @CheckForNull
    private static String reason(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank()
                ? null
                : BuildLogMessages.oneLine(message.strip().lines().findFirst().orElse(null), LONGEST_REASON);
    }

    private static Outcome outcome(Throwable failure) {
        for (Throwable e : CauseChain.of(failure).toList()) {
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
        return Outcome.FAILED;
    }

    private static List<CodecShare> codecs(SendReport sent, long rawBytes, long wireBytes) {
        List<CodecShare> shares = new ArrayList<>();
        long raw = rawBytes;
        long wire = wireBytes;
        List<CodecUsage> mostFirst = sent.usages().stream()
                .filter(usage -> usage.rawBytes() > 0)
                .sorted(Comparator.comparingLong(CodecUsage::rawBytes).reversed())
                .limit(MOST_CODECS)
                .toList();
        for (CodecUsage usage : mostFirst) {
            CodecShare share =
                    new CodecShare(usage.choice(), clamp(usage.rawBytes(), raw), clamp(usage.wireBytes(), wire));
            shares.add(share);
            raw -= share.rawBytes;
            wire -= share.wireBytes;
        }
        return shares;
    }

    @CheckForNull
    private static String unavailableCodecs(SendReport sent) {
        return sent.unusable().isEmpty()
                ? null
                : BuildLogMessages.oneLine(sent.unusable().stream()
                        .map(lacking -> lacking.codec().symbol() + ": " + lacking.reason())
                        .collect(Collectors.joining("; ")));
    }

    private long cpu(long nanos) {
        return nanos < 0 ? -1 : clamp(TimeUnit.NANOSECONDS.toMillis(nanos), duration * MOST_THREADS);
    }

    static long clamp(long said, long most) {
        return Math.max(0, Math.min(said, most));
    }

    @CheckForNull
    private static String shortened(@CheckForNull String text) {
        return text == null || text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT - 1) + "\u2026";
    }

    /** Whether it was saved by a version with other constants. */
    boolean isIncomplete() {
        return kind == null || outcome == null || agent == null || codecs == null;
    }
}
