package io.jenkins.plugins.compressionaware.demo;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The result as text. */
final class Table {
    private static final Column[] HEAD = {
        new Column().dataAlign(HorizontalAlign.LEFT),
        new Column().header("wall s"),
        new Column().header("MB/s"),
        new Column().header("ratio"),
        new Column().header("agent CPU s"),
        new Column().header("controller CPU s"),
        new Column().header("wire bytes")
    };

    /** Nanoseconds of core's way below which a comparison is chance. */
    private static final long ENOUGH = 200_000_000;

    private Table() {}

    /** One line per way, then what the figures mean. */
    static List<String> lines(List<Measurement> measurements) {
        String[][] cells = measurements.stream()
                .map(m -> new String[] {
                    m.way().label(),
                    number("%.2f", m.wallSeconds()),
                    number("%.1f", m.megabytesPerSecond()),
                    number("%.3f", m.ratio()),
                    number("%.2f", m.agentCpuSeconds()),
                    number("%.2f", m.controllerCpuSeconds()),
                    String.format(Locale.ROOT, "%,d", m.received().wireBytes())
                })
                .toArray(String[][]::new);
        List<String> lines = AsciiTable.getTable(AsciiTable.NO_BORDERS, HEAD, cells)
                .lines()
                .map(line -> line.substring(1).stripTrailing())
                .collect(Collectors.toCollection(ArrayList::new));
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

    private static String number(String format, double number) {
        return String.format(Locale.ROOT, format, number);
    }
}
