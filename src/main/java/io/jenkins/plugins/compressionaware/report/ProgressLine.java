package io.jenkins.plugins.compressionaware.report;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.receive.Progress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** One line in the build log of a transfer that is not completed. */
final class ProgressLine {
    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

    /** A silence is told from then on, nanoseconds. */
    private static final long SILENCE = TimeUnit.SECONDS.toNanos(5);

    private ProgressLine() {}

    /**
     * Of one that runs.
     *
     * @param rate bytes per second of late, of what {@link RunningTransfer#bytesDone} counts
     */
    static String soFar(RunningTransfer running, double rate) {
        List<String> parts = new ArrayList<>();
        long done = running.bytesDone();
        long all = running.bytesInAll();
        if (all > 0) {
            parts.add(Messages.ProgressLine_percent(100 * done / all));
        }
        parts.addAll(amounts(running, all));
        String codecs = codecs(running.progress());
        if (!codecs.isEmpty()) {
            parts.add(codecs);
        }
        if (running.silentNanos() >= SILENCE) {
            parts.add(
                    isWaiting(running)
                            ? Messages.ProgressLine_silent(number(running.silentNanos() / SECOND))
                            : Messages.ProgressLine_writing());
        } else if (rate > 0) {
            parts.add(Messages.ProgressLine_rate(number(rate / 1e6)));
            if (all > done) {
                parts.add(Messages.ProgressLine_left(Math.max(1, Math.round((all - done) / rate))));
            }
        }
        return Messages.ProgressLine_soFar(LogLine.what(running.transfer()), String.join(", ", parts));
    }

    /** Of one that has failed or was aborted: how far it had got, and what it waited for. */
    static String ended(RunningTransfer running) {
        String waited = isWaiting(running)
                ? Messages.ProgressLine_waitedForAgent(
                        running.transfer().agent(), number(running.silentNanos() / SECOND))
                : Messages.ProgressLine_unpacked();
        return Messages.ProgressLine_ended(
                LogLine.what(running.transfer()),
                number(running.nanos() / SECOND),
                String.join(", ", amounts(running, running.bytesInAll())),
                waited);
    }

    /** For the agent, not for this machine's disk. */
    private static boolean isWaiting(RunningTransfer running) {
        Progress progress = running.progress();
        return progress == null || progress.isWaiting();
    }

    private static List<String> amounts(RunningTransfer running, long all) {
        List<String> amounts = new ArrayList<>();
        Progress progress = running.progress();
        String wire = bytes(running.channelBytes() + running.directBytes());
        if (progress == null) {
            amounts.add(all > 0 ? Messages.ProgressLine_wireOf(wire, bytes(all)) : Messages.ProgressLine_wire(wire));
        } else {
            long raw = progress.contentBytes();
            if (raw >= 0 && all > 0) {
                amounts.add(Messages.ProgressLine_rawOf(bytes(raw), bytes(all)));
            } else if (raw > 0) {
                amounts.add(Messages.ProgressLine_raw(bytes(raw)));
            }
            amounts.add(Messages.ProgressLine_wire(wire));
        }
        return amounts;
    }

    private static String codecs(Progress progress) {
        return progress == null
                ? ""
                : progress.codecs().stream().map(Codec::symbol).collect(Collectors.joining(" + "));
    }

    private static String bytes(long bytes) {
        return Amounts.bytes(bytes, Locale.ROOT);
    }

    private static String number(double number) {
        return Amounts.number(number, Locale.ROOT);
    }
}
