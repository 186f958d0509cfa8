package io.jenkins.plugins.compressionaware.demo;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The result as text. */
final class Table {
    private static final String ROW = "%-42s %8s %8s %7s %12s %17s %15s";

    /** Nanoseconds of core's way below which a comparison is chance. */
    private static final long ENOUGH = 200_000_000;

    private Table() {}

    /** One line per way, then what the figures mean. */
    static List<String> lines(List<Measurement> measurements) {
        List<String> lines = new ArrayList<>();
        String head = row("", "wall s", "MB/s", "ratio", "agent CPU s", "controller CPU s", "wire bytes");
        lines.add(head);
        lines.add("-".repeat(head.length()));
        for (Measurement m : measurements) {
            lines.add(row(
                    m.way().label(),
                    number("%.2f", m.wallSeconds()),
                    number("%.1f", m.megabytesPerSecond()),
                    number("%.3f", m.ratio()),
                    number("%.2f", m.agentCpuSeconds()),
                    number("%.2f", m.controllerCpuSeconds()),
                    String.format(Locale.ROOT, "%,d", m.received().wireBytes())));
        }
        lines.add("");
        lines.add("1 MB = 10^6 bytes of file contents; ratio = wire bytes / bytes of the tar;");
        lines.add("CPU seconds are those of the whole process, with its compiler and garbage collector.");
        for (Measurement m : measurements) {
            if (!m.remark().isEmpty()) {
                lines.add("Not as asked, " + m.way().label() + ": " + m.remark());
            }
        }
        return lines;
    }

    /**
     * The fastest way of the plugin against core's, which is the first.
     *
     * @param measurements two or more
     */
    static String comparison(List<Measurement> measurements) {
        Measurement core = measurements.get(0);
        Measurement best = measurements.stream()
                .skip(1)
                .min(Comparator.comparingLong(Measurement::wallNanos))
                .orElseThrow();
        if (core.wallNanos() < ENOUGH || core.cpuSeconds() == 0 || best.cpuSeconds() == 0) {
            return "So few bytes say little about speed.";
        }
        return "The fastest is " + best.way().label() + ": it takes 1/"
                + number("%.1f", core.wallSeconds() / best.wallSeconds())
                + " of the wall time of the one gzip stream, and 1/"
                + number("%.1f", core.cpuSeconds() / best.cpuSeconds()) + " of its CPU time at both ends.";
    }

    private static String row(Object... cells) {
        return String.format(Locale.ROOT, ROW, cells);
    }

    private static String number(String format, double number) {
        return String.format(Locale.ROOT, format, number);
    }
}
