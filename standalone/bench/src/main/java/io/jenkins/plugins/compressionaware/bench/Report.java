package io.jenkins.plugins.compressionaware.bench;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
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

    static final String DATA = "data/benchmarks.json";
    private static final String IMAGES = "images";
    private static final String PLOT = "bench-";

    /** Separates the results from hand-written text, which is kept. */
    private static final String END = "<!-- end of results -->";

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

    /** Returns the path of a chart, relative to the pages. */
    static String plot(String name) {
        return IMAGES + "/" + PLOT + name.toLowerCase(Locale.ROOT) + ".svg";
    }

    static boolean hasPlot(Section section) {
        return section != Section.DISK && section != Section.READ && section != Section.STORE;
    }

    /** @param folder created if necessary */
    void write(Path folder) throws IOException {
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
        for (Section section : Section.values()) {
            List<ResultRow> answers = rows().stream()
                    .filter(row -> row.section() == section && ReportPages.isInPlot(row))
                    .toList();
            if (hasPlot(section) && !answers.isEmpty()) {
                Plot.write(section.title, answers, folder.resolve(plot(section.name())));
            }
        }
        List<ResultRow> gain = rows().stream()
                .filter(row -> row.section() == Section.ARCHIVE && ReportPages.isDefault(row))
                .filter(row -> row.link().equals("TCP"))
                .toList();
        if (!gain.isEmpty()) {
            Plot.write(Section.ARCHIVE.title, gain, folder.resolve(plot("gain")));
        }
        for (Map.Entry<String, List<String>> page : ReportPages.of(runs).entrySet()) {
            Path file = folder.resolve(page.getKey());
            String old = Files.exists(file) ? Files.readString(file) : "";
            String handWritten = old.contains(END) ? old.substring(old.indexOf(END)) : END + "\n";
            Files.writeString(file, String.join("\n", page.getValue()) + "\n" + handWritten);
        }
    }
}
