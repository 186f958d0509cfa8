package io.jenkins.plugins.compressionaware.bench;

import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Writes results as Markdown, JSON and SVG. */
final class Report {
    private static final String MARKDOWN = "benchmarks.md";
    private static final String IMAGES = "images";
    private static final String PLOT = "bench-";
    private static final double MEGABYTE = 1e6;

    private final Results results;
    private final List<String> lines = new ArrayList<>();

    Report(Results results) {
        this.results = results;
    }

    /** Writes into a folder, which need not exist. */
    void write(Path folder) throws IOException {
        Files.createDirectories(folder.resolve(IMAGES));
        deleteOldPlots(folder.resolve(IMAGES));
        String json = new GsonBuilder()
                .setPrettyPrinting()
                .serializeSpecialFloatingPointValues()
                .create()
                .toJson(results);
        Files.writeString(folder.resolve("benchmarks.json"), json + "\n");
        head();
        for (Section section : Section.values()) {
            section(section, folder);
        }
        replays();
        Files.write(folder.resolve(MARKDOWN), lines);
    }

    private static void deleteOldPlots(Path images) throws IOException {
        try (DirectoryStream<Path> plots = Files.newDirectoryStream(images, PLOT + "*.svg")) {
            for (Path plot : plots) {
                Files.delete(plot);
            }
        }
    }

    private void head() {
        add("# Benchmarks", "");
        add("Measured on " + results.date() + " with `" + results.command() + "`: "
                + results.machine().describe() + ".");
        add("", "Each figure is the median of " + results.rounds() + " rounds in which all ways took turns; in brackets the");
        add("least and the greatest. CPU seconds are those of whole processes, agent + controller. Peak heaps are sums of");
        add("the peaks of the heap's pools. A MB is 10^6 bytes. *core* is core's default, *core-none* core with");
        add("compression off, the others are codecs of this plugin; *auto-direct* is its default, `auto` with a direct lane.", "");
        add("Data:", "");
        results.dataSets().forEach(set -> add("- " + set));
        add("");
    }

    private void section(Section section, Path folder) throws IOException {
        Map<String, List<Row>> byLink = results.rows().stream()
                .filter(row -> row.section() == section)
                .collect(Collectors.groupingBy(Row::link, LinkedHashMap::new, Collectors.toList()));
        if (byLink.isEmpty()) {
            return;
        }
        add("## " + section.title(), "", section.explanation(), "");
        for (Map.Entry<String, List<Row>> each : byLink.entrySet()) {
            if (section == Section.CALLS) {
                calls(each.getKey(), each.getValue());
                continue;
            }
            add("### " + each.getKey(), "");
            if (section == Section.FRESH) {
                fresh(each.getValue());
            } else {
                table(each.getValue());
            }
            String image = IMAGES + "/" + PLOT
                    + (section + "-" + each.getKey()).toLowerCase().replaceAll("[^a-z0-9]+", "-") + ".svg";
            Plot.of(each.getKey(), each.getValue()).write(folder.resolve(image));
            add("", "![MB/s by data and way](" + image + ")", "");
        }
    }

    private void table(List<Row> rows) {
        add("| data | way | wall s | MB/s | wire / raw | CPU s | heap MB | core's time / this |");
        add("|---|---|---|---|---|---|---|---|");
        for (Row row : rows) {
            if (row.samples().isEmpty()) {
                add("| " + row.data() + " | " + row.way() + " | " + row.remark() + " | | | | | |");
                continue;
            }
            double wall = row.wall().orElseThrow().median();
            add(String.format(
                    "| %s | %s | %s | %.0f | %s | %s | %s | %s |",
                    row.data(),
                    row.way(),
                    spread(row.wall()),
                    row.rawBytes() / MEGABYTE / wall,
                    row.wire()
                            .map(wire -> String.format("%.3f", wire.median() / row.rawBytes()))
                            .orElse(""),
                    pair(row.spread(Sample::agentCpu), row.spread(Sample::controllerCpu), 1, "%.2f"),
                    pair(row.spread(Sample::agentHeap), row.spread(Sample::controllerHeap), MEGABYTE, "%.0f"),
                    coreOf(row, rows)
                            .flatMap(Row::wall)
                            .map(core -> String.format("%.1f", core.median() / wall))
                            .orElse("")));
        }
        add("");
        rows.forEach(this::note);
    }

    private void fresh(List<Row> rows) {
        add("| data | way | wall s | this / core's | CPU s | classes | of them kB | jars kB | calls to + from the agent | HTTP |");
        add("|---|---|---|---|---|---|---|---|---|---|");
        for (Row row : rows) {
            if (row.samples().isEmpty()) {
                add("| " + row.data() + " | " + row.way() + " | " + row.remark() + " | | | | | | | |");
                continue;
            }
            add(String.format(
                    "| %s | %s | %s | %s | %s | %.0f | %.0f | %.0f | %.0f + %.0f | %.0f |",
                    row.data(),
                    row.way(),
                    spread(row.wall()),
                    coreOf(row, rows)
                            .flatMap(Row::wall)
                            .map(core -> String.format("%.2f", row.wall().orElseThrow().median() / core.median()))
                            .orElse(""),
                    pair(row.spread(Sample::agentCpu), row.spread(Sample::controllerCpu), 1, "%.2f"),
                    row.loading(Loading::classes),
                    row.loading(Loading::classBytes) / 1000,
                    row.loading(Loading::jarBytes) / 1000,
                    row.loading(Loading::told),
                    row.loading(Loading::asked),
                    row.loading(Loading::requests)));
        }
        add("");
    }

    /** What the plugin has said of the last run. */
    private void note(Row row) {
        String note = row.samples().isEmpty() ? null : row.samples().get(row.samples().size() - 1).note();
        if (note != null && row.way().contains("auto")) {
            add("- " + row.data() + ", " + row.way() + ", build log: `" + note.replace("\n", " ") + "`");
        }
    }

    private static Optional<Row> coreOf(Row row, List<Row> rows) {
        return rows.stream()
                .filter(other -> other.data().equals(row.data()) && other.way().equals("core"))
                .findFirst();
    }

    private void calls(String link, List<Row> rows) {
        add("### " + link, "");
        add("| during | calls | median ms | 95 % below ms | longest ms |", "|---|---|---|---|---|");
        for (Row row : rows) {
            double[] sorted =
                    row.samples().stream().mapToDouble(Sample::wallSeconds).sorted().toArray();
            add(String.format(
                    "| %s | %d | %.2f | %.2f | %.2f |",
                    row.way(),
                    sorted.length,
                    1000 * row.wall().orElseThrow().median(),
                    1000 * sorted[(int) Math.ceil(0.95 * sorted.length) - 1],
                    1000 * sorted[sorted.length - 1]));
        }
        add("");
    }

    private void replays() {
        if (results.replays().isEmpty()) {
            return;
        }
        add("## " + Section.REPLAYS.title(), "", Section.REPLAYS.explanation(), "");
        for (Replay replay : results.replays()) {
            add("### " + replay.question(), "");
            add("| data | variant | wall s | MB/s | CPU s | wire / raw |", "|---|---|---|---|---|---|");
            for (Row row : replay.rows()) {
                add(String.format(
                        "| %s | %s | %s | %s | %s | %s |",
                        row.data(),
                        row.way().replace("|", "\\|"),
                        spread(row.wall()),
                        row.rawBytes() == 0
                                ? ""
                                : String.format(
                                        "%.0f",
                                        row.rawBytes() / MEGABYTE / row.wall().orElseThrow().median()),
                        spread(row.cpu()),
                        row.wire()
                                .map(wire -> String.format("%.3f", wire.median() / row.rawBytes()))
                                .orElse("")));
            }
            add("", replay.shows(), "");
        }
    }

    private static String spread(Optional<Spread> spread) {
        return spread.map(s -> String.format("%.3g (%.3g to %.3g)", s.median(), s.min(), s.max()))
                .orElse("");
    }

    private static String pair(Optional<Spread> agent, Optional<Spread> controller, double unit, String format) {
        String one = agent.map(s -> String.format(format, s.median() / unit)).orElse("");
        return controller
                .map(s -> one + " + " + String.format(format, s.median() / unit))
                .orElse(one);
    }

    private void add(String... more) {
        lines.addAll(List.of(more));
    }
}
