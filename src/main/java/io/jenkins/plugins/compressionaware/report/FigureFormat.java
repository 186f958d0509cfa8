package io.jenkins.plugins.compressionaware.report;

import java.math.RoundingMode;
import java.text.NumberFormat;
import java.util.Locale;
import org.jvnet.localizer.LocaleProvider;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Formats amounts for people, with three significant digits and decimal units (1 MB is 10^6 bytes). Unknown amounts are empty. */
@Restricted(NoExternalUse.class)
public record FigureFormat(Locale locale) {
    public static final String UNKNOWN = "";

    private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB"};

    /** Returns a format in the language of the current request, or of the JVM outside a request. */
    public static FigureFormat ofReader() {
        return new FigureFormat(LocaleProvider.getLocale());
    }

    /** Formats an amount with its unit, such as {@code 12.3 MB}. */
    public String bytes(long bytes) {
        double amount = bytes;
        int unit = 0;
        while (amount >= 999.5 && unit < UNITS.length - 1) {
            amount /= 1000;
            unit++;
        }
        return (unit == 0 ? count(bytes) : number(amount)) + " " + UNITS[unit];
    }

    public String number(double number) {
        if (number > 0 && number < 0.005) {
            return "<" + number(0.01);
        }
        return String.format(locale, number < 9.995 ? "%.2f" : number < 99.95 ? "%.1f" : "%,.0f", number);
    }

    public String count(long count) {
        return String.format(locale, "%,d", count);
    }

    /** Formats a time in seconds, from two minutes on in minutes, from two hours on in hours; unknown for negative times. */
    public String time(long millis) {
        if (millis < 120_000) {
            return millis < 0 ? UNKNOWN : number(Math.max(1, millis) / 1e3) + " s";
        }
        long seconds = Math.round(millis / 1e3);
        return seconds < 7200
                ? seconds / 60 + " min " + seconds % 60 + " s"
                : seconds / 3600 + " h " + seconds / 60 % 60 + " min";
    }

    public String speed(long bytes, long millis) {
        return bytes <= 0 || millis <= 0 ? UNKNOWN : rate(bytes * 1e3 / millis);
    }

    public String rate(double bytesPerSecond) {
        return number(bytesPerSecond / 1e6) + " MB/s";
    }

    public String ratio(double part, double whole) {
        if (part < 0 || whole <= 0) {
            return UNKNOWN;
        }
        double ratio = part / whole;
        if (ratio > 0 && ratio < 0.001) {
            return "<" + ratio(0.001, 1);
        }
        NumberFormat percent = NumberFormat.getPercentInstance(locale);
        percent.setMaximumFractionDigits(ratio < 0.01 ? 1 : 0);
        percent.setRoundingMode(RoundingMode.HALF_UP);
        return percent.format(ratio);
    }

    public String sent(long wireBytes, long rawBytes) {
        String share = share(wireBytes, rawBytes);
        return share.isEmpty() ? bytes(wireBytes) : bytes(wireBytes) + " (" + share + ")";
    }

    /** Formats the bytes sent in percent of the files' size, above 100 because of names and headers for small files; unknown from 200 on. */
    String share(long wireBytes, long rawBytes) {
        return rawBytes <= wireBytes / 2 ? UNKNOWN : ratio(wireBytes, rawBytes);
    }
}
