package io.jenkins.plugins.compressionaware;

import io.jenkins.plugins.compressionaware.transfer.ReceiveReport;
import io.jenkins.plugins.compressionaware.transfer.SendOptions;
import java.util.Locale;

/** The one line in the build log per archive call. Units are decimal: a MB is 10^6 bytes. */
record Summary(ReceiveReport received, SendOptions used, int lanes) {
    private static final double MEGABYTE = 1e6;
    private static final double SECOND = 1e9;

    /**
     * @param nanos duration of the call, nanoseconds
     */
    String describe(long nanos) {
        double seconds = nanos / SECOND;
        String codec = used.codec().hasLevels()
                ? used.codec().symbol() + " " + used.level()
                : used.codec().symbol();
        return Messages.Summary_transferred(
                received.entries(),
                bytes(received.contentBytes()),
                bytes(received.wireBytes()),
                lanes == 1 ? codec : Messages.Summary_lanes(codec, lanes),
                number(seconds),
                number(received.contentBytes() / MEGABYTE / seconds));
    }

    static String describeLocal(int files, long nanos) {
        return Messages.Summary_local(files, number(nanos / SECOND));
    }

    private static String bytes(long bytes) {
        String[] units = {"B", "kB", "MB", "GB", "TB"};
        double amount = bytes;
        int unit = 0;
        while (amount >= 1000 && unit < units.length - 1) {
            amount /= 1000;
            unit++;
        }
        return (unit == 0 ? Long.toString(bytes) : number(amount)) + " " + units[unit];
    }

    private static String number(double number) {
        return String.format(Locale.ROOT, number < 10 ? "%.2f" : "%.1f", number);
    }
}
