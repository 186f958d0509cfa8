package io.jenkins.plugins.compressionaware.bench;

import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Writes everything as JSON, and of it a page with one table and one plot per question. */
final class Report {
    private static final String IMAGES = "images";
    private static final String PLOT = "bench-";

    private final Results results;
    private final Path folder;
    private final List<String> lines = new ArrayList<>();

    /**
     * @param folder need not exist
     */
    Report(Results results, Path folder) {
        this.results = results;
        this.folder = folder;
    }

    void write() throws IOException {
        Files.createDirectories(folder.resolve(IMAGES));
        try (DirectoryStream<Path> old = Files.newDirectoryStream(folder.resolve(IMAGES), PLOT + "*.svg")) {
            for (Path plot : old) {
                Files.delete(plot);
            }
        }
        String json = new GsonBuilder()
                .setPrettyPrinting()
                .serializeSpecialFloatingPointValues()
                .create()
                .toJson(results);
        Files.writeString(folder.resolve("benchmarks.json"), json + "\n");
        head();
        for (Section section : Section.values()) {
            List<Row> rows = results.rows().stream()
                    .filter(row -> row.section() == section)
                    .toList();
            if (!rows.isEmpty()) {
                add("## " + section.title(), "", section.explanation());
                answer(section, rows);
            }
        }
        Files.write(folder.resolve("benchmarks.md"), lines);
    }

    private void head() {
        add("# Benchmarks", "");
        add("Measured on " + results.date() + " with `" + results.command() + "`: "
                + results.machine().describe() + ".");
        add("", "Each figure is the median of " + results.rounds() + " rounds in which all ways took turns; [benchmarks.json]"
                + "(benchmarks.json) has every run,");
        add("with wire bytes, heaps, and what was loaded. CPU seconds are those of whole processes, agent + controller. A MB is 10^6");
        add("bytes. *core* is core's default, *core-none* core with compression off, the others are codecs of this plugin;");
        add("*auto-direct* is its default, `auto` with a direct lane.", "");
        results.dataSets().forEach(set -> add("- " + set));
        add("");
    }

    private void answer(Section section, List<Row> rows) throws IOException {
        add("");
        add("Wall seconds; in brackets times core's speed.", "");
        table(rows, row -> wall(row, rows));
        String image = IMAGES + "/" + PLOT + section.name().toLowerCase(Locale.ROOT) + ".svg";
        Plot.of(section.title(), rows).write(folder.resolve(image));
        add("", "![" + section.title() + "](" + image + ")", "");
        if (section == Section.ARCHIVE || section == Section.STASH || section == Section.FETCH || section == Section.ENGINE) {
            add("CPU seconds, agent + controller:", "");
            table(rows, row -> two(row.spread(Sample::agentCpu), "%.2f") + " + " + two(row.spread(Sample::controllerCpu), "%.2f"));
            add("");
        } else if (section == Section.SLOW && rows.stream().anyMatch(row -> !row.operations().isEmpty())) {
            add("What the disk was asked to do:", "");
            table(rows, Row::operations);
            add("");
        } else if (section == Section.FRESH) {
            add("Classes loaded by the agent; kB of classes and of jars sent to it; remote calls to and from it:", "");
            table(
                    rows,
                    row -> String.format(
                            "%.0f; %.0f, %.0f; %.0f + %.0f",
                            row.loading(Loading::classes),
                            row.loading(Loading::classBytes) / 1000,
                            row.loading(Loading::jarBytes) / 1000,
                            row.loading(Loading::told),
                            row.loading(Loading::asked)));
            add("");
        }
    }

    /** A line for each way over each link, a column for each data set. */
    private void table(List<Row> rows, Function<Row, String> cell) {
        List<String> data = rows.stream().map(Row::data).distinct().toList();
        Map<String, List<String>> cells = new LinkedHashMap<>();
        for (Row row : rows) {
            List<String> line = cells.computeIfAbsent(row.link() + "\n" + row.way(), key -> {
                List<String> empty = new ArrayList<>(List.of(row.link(), row.way()));
                data.forEach(name -> empty.add(""));
                return empty;
            });
            line.set(2 + data.indexOf(row.data()), row.samples().isEmpty() ? row.remark() : cell.apply(row));
        }
        List<String> head = new ArrayList<>(List.of("link", "way"));
        head.addAll(data);
        lines.addAll(Markdown.table(head, List.copyOf(cells.values())));
    }

    private static String wall(Row row, List<Row> rows) {
        String seconds = two(row.wall(), "%.3g");
        return row.timesCore(rows)
                .filter(times -> !row.way().equals("core"))
                .map(times -> seconds + String.format(" (%.2g)", times))
                .orElse(seconds);
    }

    private static String two(Optional<Spread> spread, String format) {
        return spread.map(s -> String.format(format, s.median())).orElse("");
    }

    private void add(String... more) {
        lines.addAll(List.of(more));
    }
}
