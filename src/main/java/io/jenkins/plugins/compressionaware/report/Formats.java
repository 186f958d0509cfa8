package io.jenkins.plugins.compressionaware.report;

import java.util.Locale;
import org.jvnet.localizer.LocaleProvider;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Formats amounts for people. Units are decimal: a MB is 10^6 bytes. An unknown amount is a dash. */
@Restricted(NoExternalUse.class)
public record Formats(Locale locale) {
    public static final String UNKNOWN = "\u2013";

    /** For logs, which are the same for every reader. */
    public static final Formats LOG = new Formats(Locale.ROOT);

    private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB"};

    /** In the language of a page's reader. */
    public static Formats ofReader() {
        return new Formats(LocaleProvider.getLocale());
    }

    /** With its unit, such as {@code 12.3 MB}. */
    public String bytes(long bytes) {
        double amount = bytes;
        int unit = 0;
        while (amount >= 1000 && unit < UNITS.length - 1) {
            amount /= 1000;
            unit++;
        }
        return (unit == 0 ? Long.toString(bytes) : number(amount)) + " " + UNITS[unit];
    }

    /** With two digits after the point, or one from 10 on. */
    public String number(double number) {
        return String.format(locale, number < 10 ? "%.2f" : "%.1f", number);
    }

    public String count(long count) {
        return String.format(locale, "%,d", count);
    }

    /** A time in the unit that fits, up to hours; unknown if it is negative. */
    public String time(long millis) {
        double seconds = millis / 1e3;
        if (millis < 0) {
            return UNKNOWN;
        }
        if (seconds < 120) {
            return number(seconds) + " s";
        }
        return seconds < 7200 ? number(seconds / 60) + " min" : number(seconds / 3600) + " h";
    }

    /** MB/s. */
    public String speed(long bytes, long millis) {
        return millis <= 0 ? UNKNOWN : number(bytes / 1e3 / millis) + " MB/s";
    }

    /** CPU time per GB of files; unknown for less than 1 MB. */
    public String perGigabyte(long millis, long bytes) {
        return bytes < 1_000_000 ? UNKNOWN : number(millis * 1e6 / bytes) + " s";
    }

    /** A ratio in percent, as pages show all ratios; log lines have whole percents. */
    public String ratio(double part, double whole) {
        if (part < 0 || whole <= 0) {
            return UNKNOWN;
        }
        double percent = 100 * part / whole;
        // not 0 % of something
        return percent > 0 && percent < 0.1
                ? "<" + ratio(0.1, 100)
                : String.format(locale, percent > 0 && percent < 1 ? "%.1f\u00a0%%" : "%.0f\u00a0%%", percent);
    }

    /** Bytes sent, with their percentage of the files' contents if that is below 200. Names and headers can bring it above 100. */
    public String sent(long wireBytes, long rawBytes) {
        return rawBytes <= wireBytes / 2
                ? bytes(wireBytes)
                : bytes(wireBytes) + " (" + ratio(wireBytes, rawBytes) + ")";
    }
}
