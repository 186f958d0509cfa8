package io.jenkins.plugins.compressionaware;

import io.jenkins.plugins.compressionaware.transfer.ReceiveReport;
import io.jenkins.plugins.compressionaware.transfer.SendOptions;
import java.util.Locale;

/** The one line in the build log per archive call. MB are 10^6 bytes. */
record Summary(ReceiveReport received, SendOptions used) {
    private static final double MEGABYTE = 1e6;
    private static final double SECOND = 1e9;

    /**
     * @param nanos duration of the call, nanoseconds
     */
    String describe(long nanos) {
        double seconds = nanos / SECOND;
        return Messages.Summary_transferred(
                received.entries(),
                format(received.contentBytes() / MEGABYTE),
                format(received.wireBytes() / MEGABYTE),
                used.codec().hasLevels() ? used.codec().symbol() + " " + used.level() : used.codec().symbol(),
                format(seconds),
                format(received.contentBytes() / MEGABYTE / seconds));
    }

    static String describeLocal(int files, long nanos) {
        return Messages.Summary_local(files, format(nanos / SECOND));
    }

    private static String format(double number) {
        return String.format(Locale.ROOT, number < 10 ? "%.2f" : "%.1f", number);
    }
}
