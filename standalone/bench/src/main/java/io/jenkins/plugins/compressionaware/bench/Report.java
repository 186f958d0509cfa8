package io.jenkins.plugins.compressionaware.bench;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The results of one or more runs. {@link #write} saves them as JSON, and as a page with tables and a plot per section. */
record Report(List<Run> runs) {
    /**
     * The results of a run.
     *
     * @param command  command line of the run
     * @param date     ISO 8601
     * @param machine  description of the machine
     * @param dataSets description of each data set
     */
    record Run(String command, String date, String machine, int rounds, List<String> dataSets, List<ResultRow> rows) {}

    private static final String IMAGES = "images";
    private static final String PLOT = "bench-";
    private static final String DATA = "data/benchmarks.json";
    private static final String PAGE = "benchmarks.md";
    /** Separates the results from hand-written text, which is kept. */
    private static final String END = "<!-- end of results -->";

    private static final Pattern SIZE = Pattern.compile("([0-9.]+) MB");

    private static final List<String> CODECS = List.of("none", "gzip", "lz4", "zstd", "auto");

    /** Meanings of ways, in the order of the page; those of a codec only are described together. */
    private static final Map<String, String> MEANINGS = new LinkedHashMap<>();

    static {
        MEANINGS.put("core", "Jenkins itself with its default compression");
        MEANINGS.put("core-none", "Jenkins itself without compression");
        MEANINGS.put(
                "compress-artifacts", "the plugin Compress Artifacts, which packs a zip on the agent and keeps it");
        MEANINGS.put(
                "auto-direct",
                "the plugin's default, `auto` with direct lanes: HTTP requests beside the agent's connection,"
                        + " encrypted (*sealed*)");
        MEANINGS.put("auto-direct-plain", "the same without sealing, which the plugin could do when this was measured");
        MEANINGS.put("auto-direct-https", "the same with an https root URL, only over TCP");
        MEANINGS.put("scp", "`scp -r -p` with the cipher aes128-gcm");
        MEANINGS.put("rsync", "`rsync -a` over SSH with the same cipher");
        MEANINGS.put(
                "rsync-second", "the same over an existing copy, in which a tenth of every thirtieth file differs");
        MEANINGS.put(
                "tar",
                "`tar cf -` into a TCP socket, and `tar xpf -` at its other end, without compression or encryption");
    }

    /** The part of a machine's description that differs in each run. */
    private static final Pattern LOAD = Pattern.compile(", load [0-9.]+ at the start");

    /** Characters between cells, from the table library's borders; null for no border. */
    private static final Character[] BORDER = {
        null, null, null, null, '|', '|', '|', '|', '-', '|', '|', '|', '|', '|', null, null, null, null, null, null,
        null, null, null, null, null, null, null, null, null
    };

    /** Reads the report in a folder, or an empty report if there is none. */
    static Report read(Path folder) throws IOException {
        Path data = folder.resolve(DATA);
        return Files.exists(data) ? new Gson().fromJson(Files.readString(data), Report.class) : new Report(List.of());
    }

    /** Returns this report with a run, without the data sets of sections that the run measured anew. */
    Report with(Run run) {
        Set<List<Object>> measured =
                run.rows().stream().map(Report::sectionAndData).collect(Collectors.toSet());
        Stream<Run> kept = runs.stream()
                .map(each -> new Run(
                        each.command(),
                        each.date(),
                        each.machine(),
                        each.rounds(),
                        each.dataSets(),
                        each.rows().stream()
                                .filter(row -> !measured.contains(sectionAndData(row)))
                                .toList()))
                .filter(each -> !each.rows().isEmpty());
        return new Report(Stream.concat(kept, Stream.of(run)).toList());
    }

    private static List<Object> sectionAndData(ResultRow row) {
        return List.of(row.section(), row.data());
    }

    private List<ResultRow> rows() {
        return runs.stream().flatMap(run -> run.rows().stream()).toList();
    }

    /** @param folder created if necessary */
    void write(Path folder) throws IOException {
        List<ResultRow> rows = rows();
        Files.createDirectories(folder.resolve(IMAGES));
        Files.createDirectories(folder.resolve(DATA).getParent());
        try (DirectoryStream<Path> plots = Files.newDirectoryStream(folder.resolve(IMAGES), PLOT + "*.svg")) {
            for (Path plot : plots) {
                Files.delete(plot);
            }
        }
        String json = new GsonBuilder()
                .setPrettyPrinting()
                .serializeSpecialFloatingPointValues()
                .create()
                .toJson(this);
        Files.writeString(folder.resolve(DATA), json + "\n");
        Path page = folder.resolve(PAGE);
        String old = Files.exists(page) ? Files.readString(page) : "";
        List<String> lines = new ArrayList<>(List.of(head()));
        for (Section section : Section.values()) {
            List<ResultRow> answers =
                    rows.stream().filter(row -> row.section() == section).toList();
            if (!answers.isEmpty()) {
                String image = IMAGES + "/" + PLOT + section.name().toLowerCase(Locale.ROOT) + ".svg";
                String shown = Plot.write(section.title, answers, folder.resolve(image));
                lines.addAll(answer(section, answers));
                lines.addAll(List.of(
                        "The chart shows seconds, " + shown + ":", "", "![" + section.title + "](" + image + ")", ""));
            }
        }
        Files.writeString(
                page,
                String.join("\n", lines) + "\n" + (old.contains(END) ? old.substring(old.indexOf(END)) : END + "\n"));
    }

    private String head() {
        List<String> ways = rows().stream().map(ResultRow::way).distinct().toList();
        String codecs = CODECS.stream().filter(ways::contains).collect(Collectors.joining("*, *"));
        Stream<String> meanings = Stream.concat(
                MEANINGS.keySet().stream().filter(ways::contains).map(way -> "*" + way + "*: " + MEANINGS.get(way)),
                codecs.isEmpty()
                        ? Stream.of()
                        : Stream.of("*" + codecs
                                + "*: this plugin with this codec, over the agent's connection, the *channel*"));
        return """
            # Benchmarks

            Measured with:

            - %s

            Machine: %s.

            Each figure is a median of several rounds, in which all ways took turns. [benchmarks.json](%s) has every run, with bytes sent, heap, and loaded classes. CPU seconds are those of
            whole processes, agent + controller; those of other programs are sender + receiver, without bytes and heap. A MB is 10^6 bytes. The column *way* has these values:

            - %s

            The largest data sets; a smaller set is a part, and each heading has its size:

            - %s
            """.formatted(
                        runs.stream().map(Report::describe).collect(Collectors.joining("\n- ")),
                        runs.stream()
                                .map(run -> LOAD.matcher(run.machine()).replaceFirst(""))
                                .distinct()
                                .collect(Collectors.joining("; ")),
                        DATA,
                        meanings.collect(Collectors.joining("\n- ")),
                        String.join("\n- ", largestDataSets()));
    }

    private static String describe(Run run) {
        String sections = run.rows().stream()
                .map(row -> row.section().name().toLowerCase(Locale.ROOT))
                .distinct()
                .collect(Collectors.joining(", "));
        Matcher load = LOAD.matcher(run.machine());
        return String.format(
                "%s, on %s, %d rounds%s:%n  `%s`",
                sections, run.date(), run.rounds(), load.find() ? load.group() : "", run.command());
    }

    /** Returns the description of the largest set of each name. */
    private Collection<String> largestDataSets() {
        Map<String, String> largest = new LinkedHashMap<>();
        for (Run run : runs) {
            for (String set : run.dataSets()) {
                largest.merge(set.split(":")[0], set, (one, other) -> megabytes(one) >= megabytes(other) ? one : other);
            }
        }
        return largest.values();
    }

    private static double megabytes(String set) {
        Matcher size = SIZE.matcher(set);
        return size.find() ? Double.parseDouble(size.group(1)) : 0;
    }

    private static List<String> answer(Section section, List<ResultRow> all) {
        List<String> lines = new ArrayList<>(List.of("## " + section.title, "", section.explanation, ""));
        for (List<ResultRow> rows : bySize(all)) {
            lines.addAll(List.of("### " + heading(rows), ""));
            lines.addAll(tables(section, rows));
        }
        return lines;
    }

    /** Returns the rows in groups of links with data sets of the same sizes. */
    private static Collection<List<ResultRow>> bySize(List<ResultRow> rows) {
        Map<String, Set<String>> sizes = rows.stream()
                .collect(Collectors.groupingBy(
                        ResultRow::link, Collectors.mapping(ResultRow::sizedData, Collectors.toSet())));
        return rows.stream()
                .collect(Collectors.groupingBy(row -> sizes.get(row.link()), LinkedHashMap::new, Collectors.toList()))
                .values();
    }

    /** Returns the links' names, without repeated parts, and the data sets with their sizes. */
    private static String heading(List<ResultRow> rows) {
        List<String[]> links = rows.stream().map(row -> row.link().split(", ")).toList();
        int parts = links.stream().mapToInt(link -> link.length).max().orElse(0);
        String link = IntStream.range(0, parts)
                .boxed()
                .flatMap(i -> links.stream().filter(each -> each.length > i).map(each -> each[i]))
                .distinct()
                .collect(Collectors.joining(", "));
        return link + ": " + rows.stream().map(ResultRow::sizedData).distinct().collect(Collectors.joining(", "));
    }

    private static List<String> tables(Section section, List<ResultRow> rows) {
        List<String> lines =
                table("Elapsed seconds; in brackets, how many times as fast as core:", rows, row -> wall(row, rows));
        if (section == Section.ARCHIVE) {
            lines.addAll(table("Seconds of the shortest and the longest run:", rows, Report::spread));
        }
        switch (section) {
            case ARCHIVE, STASH, FETCH, SHAPED, ENGINE ->
                lines.addAll(table("CPU seconds, agent + controller:", rows, ResultRow::cpu));
            case LARGE ->
                lines.addAll(
                        table("The controller's heap in MB, threads, and descriptors:", rows, ResultRow::controller));
            case SLOW -> lines.addAll(table("Operations of the disk:", rows, ResultRow::operations));
            case FRESH ->
                lines.addAll(table(
                        "Classes loaded by the agent; kB of classes and of jars sent to it; remote calls to and from"
                                + " it:",
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
        return Stream.of(Stream.of(title, ""), table.lines(), Stream.of(""))
                .flatMap(lines -> lines)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private static String spread(ResultRow row) {
        return row.wall()
                .map(s -> String.format("%.3g to %.3g", s.least(), s.greatest()))
                .orElseThrow();
    }

    private static String wall(ResultRow row, List<ResultRow> rows) {
        String seconds = String.format("%.3g", row.wall().orElseThrow().median());
        return row.timesCore(rows)
                .filter(times -> !row.way().equals("core"))
                .map(times -> seconds + String.format(" (%.2g)", times))
                .orElse(seconds);
    }
}
