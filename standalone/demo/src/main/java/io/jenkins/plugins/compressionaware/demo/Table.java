package io.jenkins.plugins.compressionaware.demo;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The result as text. */
final class Table {
    private static final Column[] HEAD = {
        new Column().dataAlign(HorizontalAlign.LEFT),
        new Column().header("seconds"),
        new Column().header("MB/s"),
        new Column().header("MB sent"),
        new Column().header("CPU s, agent"),
        new Column().header("CPU s, controller")
    };

    /** Nanoseconds of core's way below which a comparison is chance. */
    private static final long ENOUGH = 200_000_000;

    /** Of the time that Jenkins itself takes: where writing the files alone takes as much, nothing can be twice as fast. */
    private static final double DISK_DECIDES = 0.5;

    private Table() {}

    /** One line per way, then what the figures mean. */
    static List<String> lines(Measured measured) {
        String[][] cells = measured.medians().stream()
                .map(m -> new String[] {
                    m.way().label(),
                    number("%.2f", m.wallSeconds()),
                    number("%.1f", m.megabytesPerSecond()),
                    number("%.1f", m.wireMegabytes()),
                    number("%.2f", m.agentCpuSeconds()),
                    number("%.2f", m.controllerCpuSeconds())
                })
                .toArray(String[][]::new);
        List<String> lines = AsciiTable.getTable(AsciiTable.NO_BORDERS, HEAD, cells)
                .lines()
                .map(line -> line.substring(1).stripTrailing())
                .collect(Collectors.toCollection(ArrayList::new));
        int rounds = measured.rounds();
        lines.add((rounds == 1 ? "One round. " : "Medians of " + rounds + " rounds. ")
                + "1 MB = 10^6 bytes. CPU seconds are those of the whole process, with its compiler and garbage collector.");
        for (Measurement m : measured.medians()) {
            if (!m.remark().isEmpty()) {
                lines.add("Not as asked, " + m.way().label() + ": " + m.remark());
            }
        }
        return lines;
    }

    /** The plugin's default against Jenkins' own way, and whether it is the disk that was measured. */
    static List<String> conclusion(Measured measured) {
        Measurement core = measured.median(Way.CORE);
        Measurement auto = measured.median(Way.AUTO);
        if (core.wallNanos() < ENOUGH || core.cpuSeconds() == 0 || auto.cpuSeconds() == 0) {
            return List.of("So few bytes say little about speed.");
        }
        double faster = core.wallSeconds() / auto.wallSeconds();
        List<String> lines = new ArrayList<>();
        lines.add("The plugin's default, auto, takes " + number("%.2f", auto.wallSeconds()) + " s where Jenkins itself takes "
                + number("%.2f", core.wallSeconds()) + " s"
                + (faster >= 1.1 ? ": it is " + number("%.1f", faster) + " times as fast." : "."));
        lines.add("It uses " + number("%.1f", auto.cpuSeconds()) + " s of CPU time at both ends together, Jenkins itself "
                + number("%.1f", core.cpuSeconds()) + " s.");
        if (measured.copySeconds() > DISK_DECIDES * core.wallSeconds()) {
            lines.add("The disk is what decides here: to write these files and no more takes " + number("%.2f", measured.copySeconds())
                    + " s, whatever brings them. Only with the files in memory (TMPDIR) can the ways be compared.");
        }
        return lines;
    }

    private static String number(String format, double number) {
        return String.format(Locale.ROOT, format, number);
    }
}
