package io.jenkins.plugins.compressionaware.overview;

import io.jenkins.plugins.compressionaware.report.Amounts;
import java.util.Locale;
import org.jvnet.localizer.LocaleProvider;

/** Amounts as the user's language writes them. */
final class Shown {
    private static final double MEGABYTE = 1e6;

    private Shown() {}

    static String bytes(long bytes) {
        return Amounts.bytes(bytes, locale());
    }

    /**
     * @param bytes per second
     * @return MB/s
     */
    static String megabytes(double bytes) {
        return Amounts.number(bytes / MEGABYTE, locale());
    }

    /** In the unit that fits, up to hours. */
    static String seconds(long millis) {
        double seconds = millis / 1000.0;
        if (seconds < 120) {
            return Amounts.number(seconds, locale()) + " s";
        }
        double minutes = seconds / 60;
        return minutes < 120
                ? Amounts.number(minutes, locale()) + " min"
                : Amounts.number(minutes / 60, locale()) + " h";
    }

    static String percent(double part, double whole) {
        if (whole == 0) {
            return "\u2013";
        }
        double percent = 100 * part / whole;
        // not 0 % of something
        return String.format(locale(), percent > 0 && percent < 1 ? "%.1f\u00a0%%" : "%.0f\u00a0%%", percent);
    }

    static String way(long directBytes, long wireBytes) {
        if (wireBytes <= 0) {
            return "\u2013";
        }
        if (directBytes <= 0) {
            return Messages.Shown_channel();
        }
        return directBytes >= wireBytes
                ? Messages.Shown_direct()
                : Messages.Shown_both(percent(directBytes, wireBytes));
    }

    private static Locale locale() {
        return LocaleProvider.getLocale();
    }
}
