package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.ChannelClosedException;
import hudson.remoting.RequestAbortedException;
import io.jenkins.plugins.compressionaware.adapt.Reason;
import io.jenkins.plugins.compressionaware.adapt.Usage;
import io.jenkins.plugins.compressionaware.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.send.SendReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/**
 * A finished transfer, as listeners receive it and its build remembers it. It has no file names and a bounded size, and no figure from an agent exceeds
 * what the controller has counted. Sizes are in bytes, times in milliseconds.
 */
@ExportedBean(defaultVisibility = 2)
public final class TransferResult {
    /** Longest text that is kept, in characters. */
    private static final int LONGEST = 120;

    /** Number of codecs and levels that are kept: those with most bytes. */
    private static final int MOST_CODECS = 4;

    /** No end has more threads or connections at work for one transfer. */
    private static final int MOST_THREADS = 64;

    /** Faster than any link or disk, bytes per second. */
    private static final long MOST_RATE = 1_000_000_000_000L;

    /** Microseconds per small file from which a disk counts as slow: it waits for a server or a spindle. */
    private static final long SLOW_FILE = 500;

    /** Largest average size of small files: larger ones take their time on every disk. */
    private static final long SMALL_FILE = 128 * 1024;

    /** Fewer files show nothing: a JVM that loads its classes is slow, too. */
    private static final int ENOUGH_FILES = 100;

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
    public final Transfer.Kind kind;

    /** Name of the stash, or of the build fetched from; null for an archive. */
    @Exported
    @CheckForNull
    public final String stash;

    /** Name of the agent; empty if it had just gone, {@code (built-in)} for the controller itself. */
    @Exported
    public final String agent;

    /** Who chose codec and level, for people; null if only the administrator did. */
    @Exported
    @CheckForNull
    public final String chosenBy;

    @Exported
    public final Outcome outcome;

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
    public final int earlierBuild;

    /** Raw bytes that did not travel because that build has them. */
    @Exported
    public final long earlierBytes;

    /** Streams over the channel. */
    @Exported
    public final int lanes;

    /** Connections of the direct lane. */
    @Exported
    public final int connections;

    /** Most bytes first; empty for an unstash that is sent as stored, and if the transfer was not completed. */
    @Exported(inline = true)
    public final List<CodecShare> codecs;

    /** The limit of {@code auto}; null if codec and level were prescribed or stored, or the transfer was not completed. */
    @Exported
    @CheckForNull
    public final Reason.Limit limit;

    /** Rate of that limit, bytes per second; 0 if it has none. */
    @Exported
    public final long limitRate;

    /** Whether the transfer waited at least half of its time for a disk that took long for each file. */
    @Exported
    public final boolean slowDisk;

    /** Files written at a time onto that disk; 0 if it was read from, or not slow. */
    @Exported
    public final int writers;

    /** Codecs that could not be used on the agent, and why, in one line; null if there were none. */
    @Exported
    @CheckForNull
    public final String lackingCodecs;

    /** Null if the transfer was not completed. */
    @Exported(inline = true)
    @CheckForNull
    public final StageTimes busy;

    /** CPU time of the sending end; -1 if unknown. */
    @Exported
    public final long sendingCpu;

    /** CPU time of the receiving end; -1 if unknown. */
    @Exported
    public final long receivingCpu;

    TransferResult(TransferProgress running, int lanes, SendReport sent, ReceiveReport received) {
        this(running, lanes, Outcome.COMPLETED, sent, received);
    }

    /** A transfer that was not completed. Its ends have reported nothing. */
    TransferResult(TransferProgress running, int lanes, Throwable failure) {
        this(
                running,
                lanes,
                outcome(failure),
                SendReport.ofStored(0, 0, 0, null),
                ReceiveReport.untimed(running.transfer().files(), 0, 0, 0, -1));
    }

    private TransferResult(
            TransferProgress running, int lanes, Outcome outcome, SendReport sent, ReceiveReport received) {
        boolean completed = outcome == Outcome.COMPLETED;
        Transfer transfer = running.transfer();
        kind = transfer.kind();
        stash = shortened(transfer.stash());
        agent = shortened(transfer.agent());
        chosenBy = shortened(transfer.chosenBy());
        this.outcome = outcome;
        start = running.startMillis();
        duration = Math.max(1, TimeUnit.NANOSECONDS.toMillis(running.nanos()));
        files = received.entries();
        rawBytes = received.contentBytes();
        channelBytes = running.channelBytes();
        directBytes = running.directBytes();
        wireBytes = completed ? received.wireBytes() : channelBytes + directBytes;
        earlierBuild = running.earlierBuild();
        earlierBytes = within(running.earlierBytes(), rawBytes);
        this.lanes = lanes;
        connections = sent.direct() == null ? 0 : (int) within(sent.direct().connections(), MOST_THREADS);
        codecs = codecs(sent, Math.max(received.rawBytes(), rawBytes), wireBytes);
        limit = sent.reason() == null ? null : sent.reason().limit();
        limitRate = limit == null ? 0 : within(Math.round(sent.reason().bytesPerSecond()), MOST_RATE);
        lackingCodecs = lackingCodecs(sent);
        busy = completed ? new StageTimes(sent, received, connections > 0 ? connections : lanes, duration) : null;
        boolean written = busy != null && received.writers() > 0 && busy.writing * 2 >= duration;
        boolean read = busy != null && busy.reading * 2 >= duration && isSlow(busy.reading);
        slowDisk = written || read;
        writers = written ? (int) within(received.writers(), MOST_THREADS) : 0;
        sendingCpu = cpu(sent.cpuNanos());
        receivingCpu = cpu(received.cpuNanos());
    }

    /** Whether the slow disk is the controller's and not the agent's. */
    boolean isControllersDisk() {
        return writers > 0 && kind == Transfer.Kind.ARCHIVE;
    }

    private boolean isSlow(long millis) {
        return files >= ENOUGH_FILES && rawBytes <= files * SMALL_FILE && millis * 1000 >= files * SLOW_FILE;
    }

    private static Outcome outcome(Throwable failure) {
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
        return Outcome.FAILED;
    }

    private static List<CodecShare> codecs(SendReport sent, long rawBytes, long wireBytes) {
        List<CodecShare> shares = new ArrayList<>();
        long raw = rawBytes;
        long wire = wireBytes;
        List<Usage> mostFirst = sent.usages().stream()
                .filter(usage -> usage.rawBytes() > 0)
                .sorted(Comparator.comparingLong(Usage::rawBytes).reversed())
                .limit(MOST_CODECS)
                .toList();
        for (Usage usage : mostFirst) {
            CodecShare share =
                    new CodecShare(usage.choice(), within(usage.rawBytes(), raw), within(usage.wireBytes(), wire));
            shares.add(share);
            raw -= share.rawBytes;
            wire -= share.wireBytes;
        }
        return shares;
    }

    @CheckForNull
    private static String lackingCodecs(SendReport sent) {
        return sent.unusable().isEmpty()
                ? null
                : LogLine.oneLine(sent.unusable().stream()
                        .map(lacking -> lacking.codec().symbol() + ": " + lacking.reason())
                        .collect(Collectors.joining("; ")));
    }

    private long cpu(long nanos) {
        return nanos < 0 ? -1 : within(TimeUnit.NANOSECONDS.toMillis(nanos), duration * MOST_THREADS);
    }

    static long within(long said, long most) {
        return Math.max(0, Math.min(said, most));
    }

    @CheckForNull
    private static String shortened(@CheckForNull String text) {
        return text == null || text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "\u2026";
    }

    /** Whether it was saved by a version with other constants. */
    boolean isIncomplete() {
        return kind == null || outcome == null || agent == null || codecs == null;
    }
}
