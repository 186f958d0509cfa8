package io.jenkins.plugins.compressionaware.bench;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The results of a run. {@link #write} saves them as JSON, and as a page with a table and a plot per section.
 *
 * @param command  command line of the run
 * @param date     ISO 8601
 * @param machine  description of the machine
 * @param dataSets description of each data set
 */
record Report(String command, String date, String machine, int rounds, List<String> dataSets, List<ResultRow> rows) {
    private static final String IMAGES = "images";
    private static final String PLOT = "bench-";
    private static final String DATA = "data/benchmarks.json";

    /** Characters between cells, from the table library's borders; null for no border. */
    private static final Character[] BORDER = {
        null, null, null, null, '|', '|', '|', '|', '-', '|', '|', '|', '|', '|', null, null, null, null, null, null, null, null, null, null,
        null, null, null, null, null
    };

    /** @param folder created if necessary */
    void write(Path folder) throws IOException {
        Files.createDirectories(folder.resolve(IMAGES));
        Files.createDirectories(folder.resolve(DATA).getParent());
        try (DirectoryStream<Path> old = Files.newDirectoryStream(folder.resolve(IMAGES), PLOT + "*.svg")) {
            for (Path plot : old) {
                Files.delete(plot);
            }
        }
        String json = new GsonBuilder()
                .setPrettyPrinting()
                .serializeSpecialFloatingPointValues()
                .create()
                .toJson(this);
        Files.writeString(folder.resolve(DATA), json + "\n");
        List<String> lines = new ArrayList<>(List.of(head()));
        for (Section section : Section.values()) {
            List<ResultRow> answers = rows.stream().filter(row -> row.section() == section).toList();
            if (!answers.isEmpty()) {
                String image = IMAGES + "/" + PLOT + section.name().toLowerCase(Locale.ROOT) + ".svg";
                Plot.write(section.title, answers, folder.resolve(image));
                lines.addAll(answer(section, answers, image));
            }
        }
        Files.write(folder.resolve("benchmarks.md"), lines);
    }

    private String head() {
        return """
                # Benchmarks

                Measured on %s with `%s`: %s.

                Each figure is the median of %d rounds in which all ways took turns; [benchmarks.json](%s) has every run,
                with wire bytes, heaps, and what was loaded. CPU seconds are those of whole processes, agent + controller. A MB is 10^6
                bytes. *core* is core's default, *core-none* core with compression off, the others are codecs of this plugin;
                *auto-direct* is its default, `auto` with a direct lane.

                - %s
                """
                .formatted(date, command, machine, rounds, DATA, String.join("\n- ", dataSets));
    }

    private static List<String> answer(Section section, List<ResultRow> rows, String image) {
        List<String> lines = new ArrayList<>(List.of("## " + section.title, "", section.explanation, ""));
        lines.addAll(table("Elapsed seconds; in brackets, how many times as fast as core.", rows, row -> wall(row, rows)));
        lines.addAll(List.of("![" + section.title + "](" + image + ")", ""));
        switch (section) {
            case ARCHIVE, STASH, FETCH, ENGINE -> lines.addAll(table("CPU seconds, agent + controller:", rows, ResultRow::cpu));
            case SLOW -> lines.addAll(table("Operations of the disk:", rows, ResultRow::operations));
            case FRESH ->
                lines.addAll(table(
                        "Classes loaded by the agent; kB of classes and of jars sent to it; remote calls to and from it:",
                        rows,
                        ResultRow::loaded));
            default -> {}
        }
        return lines;
    }

    /** Returns a table with a line per way and link, and a column per data set. */
    private static List<String> table(String title, List<ResultRow> rows, Function<ResultRow, String> cell) {
        List<String> head = new ArrayList<>(List.of("link", "way"));
        rows.stream().map(ResultRow::data).distinct().forEach(head::add);
        Map<String, String[]> cells = new LinkedHashMap<>();
        for (ResultRow row : rows) {
            String[] line = cells.computeIfAbsent(row.link() + "\n" + row.way(), key -> {
                String[] empty = new String[head.size()];
                Arrays.fill(empty, "");
                empty[0] = row.link();
                empty[1] = row.way();
                return empty;
            });
            line[head.lastIndexOf(row.data())] = row.samples().isEmpty() ? row.remark() : cell.apply(row);
        }
        Column[] columns = head.stream()
                .map(name -> new Column()
                        .header(name)
                        .headerAlign(HorizontalAlign.LEFT)
                        .dataAlign(HorizontalAlign.LEFT)
                        .maxWidth(1_000))
                .toArray(Column[]::new);
        String table = AsciiTable.getTable(BORDER, columns, cells.values().toArray(String[][]::new));
        return Stream.of(Stream.of(title, ""), table.lines(), Stream.of("")).flatMap(lines -> lines).toList();
    }

    private static String wall(ResultRow row, List<ResultRow> rows) {
        String seconds = String.format("%.3g", row.wall().orElseThrow().median());
        return row.timesCore(rows)
                .filter(times -> !row.way().equals("core"))
                .map(times -> seconds + String.format(" (%.2g)", times))
                .orElse(seconds);
    }
}
