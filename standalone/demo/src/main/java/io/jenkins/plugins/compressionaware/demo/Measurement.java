package io.jenkins.plugins.compressionaware.demo;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The results of a comparison, formatted for the user.
 *
 * @param bytes       of the files' contents
 * @param copySeconds median time to write the files without a transfer; 0 for files in memory
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

    /** Seconds. A comparison with a shorter transfer of Jenkins itself is meaningless. */
    private static final double MIN_SECONDS = 0.2;

    /** Share of the time of Jenkins itself. If writing the files takes more, the disk is the bottleneck. */
    private static final double MAX_DISK_SHARE = 0.5;

    private double median(Way way, Function<Sample, Number> figure) {
        return Distribution.of(all.get(way), figure).orElseThrow().median();
    }

    /** Returns a line per way, then an explanation of the figures. */
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
                + "1 MB = 10^6 bytes. CPU seconds are of the whole process, including JIT compiler and garbage"
                + " collector.");
        lines.add("All rows use one connection, like an agent's. In Jenkins, the plugin also sends direct HTTP"
                + " requests.");
        all.forEach((way, samples) -> samples.stream()
                .filter(sample -> !sample.note.isEmpty())
                .findFirst()
                .ifPresent(sample -> lines.add("Codec not available, " + way.label() + ": " + sample.note)));
        return lines;
    }

    /** Returns a comparison of the plugin's default codec with Jenkins itself and with a faster row, and names a disk that limits all. */
    List<String> conclusion() {
        double core = median(Way.CORE, s -> s.wallSeconds);
        double auto = median(Way.AUTO, s -> s.wallSeconds);
        if (core < MIN_SECONDS) {
            return List.of("The files are too small for a comparison.");
        }
        List<String> lines = new ArrayList<>();
        lines.add(format("The plugin with its default codec, auto, took %.2f s, Jenkins itself %.2f s", auto, core)
                + (core / auto >= 1.1 ? format(": %.1f times as fast.", core / auto) : "."));
        lines.add("CPU time of both ends and bytes sent: plugin " + costs(Way.AUTO) + ", Jenkins itself "
                + costs(Way.CORE) + ".");
        Way fastest = Collections.min(all.keySet(), Comparator.comparing(way -> median(way, s -> s.wallSeconds)));
        if (fastest != Way.AUTO) {
            lines.add(format("Fastest row: %s, with %.2f s, ", fastest.label(), median(fastest, s -> s.wallSeconds))
                    + costs(fastest) + ".");
        }
        if (copySeconds > MAX_DISK_SHARE * core) {
            lines.add(format(
                            "The disk is the bottleneck: writing these files without a transfer took %.2f s.",
                            copySeconds)
                    + " Set TMPDIR to a file system in memory for a comparison.");
        }
        return lines;
    }

    private String costs(Way way) {
        return format(
                "%.1f s and %.1f MB",
                median(way, s -> s.agentCpu + s.controllerCpu), median(way, s -> s.wireBytes) / 1e6);
    }

    private static String format(String format, Object... figures) {
        return String.format(Locale.ROOT, format, figures);
    }
}
