package io.jenkins.plugins.compressionaware.demo;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What has been measured, and how it is told.
 *
 * @param bytes       of the files' contents
 * @param copySeconds what it takes here to write the files and no more, median; 0 if they are in memory
 */
public record Measurement(Map<Way, List<Sample>> all, long bytes, double copySeconds) {
    private static final Column[] HEAD = {
        new Column().dataAlign(HorizontalAlign.LEFT),
        new Column().header("seconds"),
        new Column().header("MB/s"),
        new Column().header("MB sent"),
        new Column().header("CPU s, agent"),
        new Column().header("CPU s, controller")
    };

    /** Seconds of core's way below which a comparison is chance. */
    private static final double ENOUGH = 0.2;

    /** Of the time that Jenkins itself takes: where writing the files alone takes as much, nothing can be twice as fast. */
    private static final double DISK_DECIDES = 0.5;

    private double median(Way way, Function<Sample, Number> figure) {
        return Distribution.of(all.get(way), figure).orElseThrow().median();
    }

    /** One line per way, then what the figures mean. */
    List<String> table() {
        String[][] cells = all.keySet().stream()
                .map(way -> new String[] {
                    way.label(),
                    format("%.2f", median(way, s -> s.wallSeconds)),
                    format("%.1f", bytes / 1e6 / median(way, s -> s.wallSeconds)),
                    format("%.1f", median(way, s -> s.wireBytes) / 1e6),
                    format("%.2f", median(way, s -> s.agentCpu)),
                    format("%.2f", median(way, s -> s.controllerCpu))
                })
                .toArray(String[][]::new);
        List<String> lines = AsciiTable.getTable(AsciiTable.NO_BORDERS, HEAD, cells)
                .lines()
                .map(line -> line.substring(1).stripTrailing())
                .collect(Collectors.toCollection(ArrayList::new));
        int rounds = all.get(Way.CORE).size();
        lines.add((rounds == 1 ? "One round. " : "Medians of " + rounds + " rounds. ")
                + "1 MB = 10^6 bytes. CPU seconds are those of the whole process, with its compiler and garbage collector.");
        all.forEach((way, samples) -> samples.stream()
                .filter(sample -> !sample.note.isEmpty())
                .findFirst()
                .ifPresent(sample -> lines.add("Not as asked, " + way.label() + ": " + sample.note)));
        return lines;
    }

    /** The plugin's default against Jenkins' own way, and whether it is the disk that was measured. */
    List<String> conclusion() {
        double core = median(Way.CORE, s -> s.wallSeconds);
        double auto = median(Way.AUTO, s -> s.wallSeconds);
        if (core < ENOUGH) {
            return List.of("So few bytes say little about speed.");
        }
        List<String> lines = new ArrayList<>();
        lines.add(format("The plugin's default, auto, takes %.2f s where Jenkins itself takes %.2f s", auto, core)
                + (core / auto >= 1.1 ? format(": it is %.1f times as fast.", core / auto) : "."));
        lines.add(format(
                "It uses %.1f s of CPU time at both ends together, Jenkins itself %.1f s.", cpu(Way.AUTO), cpu(Way.CORE)));
        lines.add("Where another row is faster: auto also saves network traffic, and CPU time for the builds beside it.");
        if (copySeconds > DISK_DECIDES * core) {
            lines.add(format("The disk decides here: writing these files alone takes %.2f s, no matter how they arrive.", copySeconds)
                    + " Only with the files in memory (TMPDIR) can the ways be compared.");
        }
        return lines;
    }

    private double cpu(Way way) {
        return median(way, s -> s.agentCpu + s.controllerCpu);
    }

    private static String format(String format, Object... figures) {
        return String.format(Locale.ROOT, format, figures);
    }
}
