package io.jenkins.plugins.compressionaware.report;

import java.util.Locale;

/** Amounts for people. Units are decimal: a MB is 10^6 bytes. */
public final class Amounts {
    private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB"};

    private Amounts() {}

    /** With its unit, such as {@code 12.3 MB}. */
    public static String bytes(long bytes, Locale locale) {
        double amount = bytes;
        int unit = 0;
        while (amount >= 1000 && unit < UNITS.length - 1) {
            amount /= 1000;
            unit++;
        }
        return (unit == 0 ? Long.toString(bytes) : number(amount, locale)) + " " + UNITS[unit];
    }

    /** With two digits after the point, or one from 10 on. */
    public static String number(double number, Locale locale) {
        return String.format(locale, number < 10 ? "%.2f" : "%.1f", number);
    }
}
