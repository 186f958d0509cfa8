package io.jenkins.plugins.compressionaware.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Compares the README's table of results with the last benchmark, or writes the table with {@code -Dreadme.write}. */
class ReadmeResultsTest {
    private static final Pattern RESULTS = Pattern.compile("(?s)(?<=<!-- results -->\n).*(?=<!-- end of results -->)");
    private static final Pattern DATA_SET = Pattern.compile("^(\\w+): ([0-9,]+) files?, ([0-9.]+) MB");

    /** Quotient of the longest and the shortest run from which on the table shows both. */
    private static final double MUCH = 1.2;

    /** The last run that measured archives. */
    private final Map<?, ?> run = run();

    private static Map<?, ?> run() {
        return BenchmarkData.runs().stream()
                .filter(run -> hasArchivesOf(run, null))
                .findFirst()
                .orElseThrow();
    }

    private static boolean hasArchivesOf(Map<?, ?> run, String data) {
        return BenchmarkData.rows(run).stream()
                .anyMatch(row -> row.get("section").equals("ARCHIVE")
                        && (data == null || row.get("data").equals(data)));
    }

    @Test
    void tableShowsLastBenchmark() throws Exception {
        Path file = Page.root().resolve("README.md");
        String readme = Files.readString(file);
        Matcher results = RESULTS.matcher(readme);
        assertTrue(results.find(), "the README has a table of results between two comments");
        if (System.getProperty("readme.write") != null) {
            Files.writeString(file, results.replaceFirst(Matcher.quoteReplacement(table())));
            return;
        }
        assertEquals(
                table(),
                results.group(),
                "The benchmark has new results. Update the README with ./test ReadmeResultsTest -Dreadme.write");
    }

    @Test
    void readmeNamesLoadAtTheStart() {
        Matcher load = Pattern.compile("load ([0-9.]+) at the start")
                .matcher(run.get("machine").toString());
        assertTrue(load.find());
        String named = "load of " + load.group(1) + " at the start";
        assertTrue(Page.of("README.md").text().contains(named), named);
    }

    @Test
    void readmeNamesOldestJenkins() throws IOException {
        String pom = Files.readString(Page.root().resolve("pom.xml"));
        Matcher baseline = Pattern.compile("<jenkins.baseline>([0-9.]+)</jenkins.baseline>\\s*"
                        + "<jenkins.version>\\$\\{jenkins.baseline}([0-9.]+)</jenkins.version>")
                .matcher(pom);
        assertTrue(baseline.find());
        String oldest = "Needs Jenkins " + baseline.group(1) + baseline.group(2) + " or newer";
        assertTrue(Page.of("README.md").text().contains(oldest), oldest);
    }

    private String table() {
        StringBuilder table =
                new StringBuilder("| | Jenkins, TCP | plugin, TCP | Jenkins, WebSocket | plugin, WebSocket |"
                        + " CPU time, TCP | MB sent, TCP |\n|---|---|---|---|---|---|---|\n");
        for (Object dataSet : (List<?>) run.get("dataSets")) {
            String name = dataSet.toString().split(":")[0];
            if (!hasArchivesOf(run, name)) {
                continue;
            }
            table.append("| ").append(words(dataSet.toString()));
            for (String link : List.of("TCP", "WebSocket")) {
                double core = median(link, name, "core", sample -> BenchmarkData.number(sample, "wallSeconds"));
                double plugin =
                        median(link, name, "auto-direct", sample -> BenchmarkData.number(sample, "wallSeconds"));
                table.append(" | %s s%s | **%s s**%s, %s times as fast"
                        .formatted(
                                round(core),
                                range(link, name, "core"),
                                round(plugin),
                                range(link, name, "auto-direct"),
                                round(core / plugin)));
            }
            table.append(" | %s s, instead of %s s | %s, instead of %s |\n"
                    .formatted(
                            round(median("TCP", name, "auto-direct", ReadmeResultsTest::processors)),
                            round(median("TCP", name, "core", ReadmeResultsTest::processors)),
                            round(median("TCP", name, "auto-direct", ReadmeResultsTest::megabytes)),
                            round(median("TCP", name, "core", ReadmeResultsTest::megabytes))));
        }
        return table.toString();
    }

    /** Returns the shortest and the longest run if they differ much. */
    private String range(String link, String data, String way) {
        DoubleSummaryStatistics runs = ((List<?>) row(link, data, way).get("samples"))
                .stream()
                        .mapToDouble(sample -> BenchmarkData.number((Map<?, ?>) sample, "wallSeconds"))
                        .summaryStatistics();
        return runs.getMax() < MUCH * runs.getMin()
                ? ""
                : " (%s to %s)".formatted(round(runs.getMin()), round(runs.getMax()));
    }

    private double median(String link, String data, String way, ToDoubleFunction<Map<?, ?>> figure) {
        return BenchmarkData.median(row(link, data, way), figure);
    }

    private Map<?, ?> row(String link, String data, String way) {
        for (Map<?, ?> row : BenchmarkData.rows(run)) {
            if (row.get("section").equals("ARCHIVE")
                    && row.get("link").equals(link)
                    && row.get("data").equals(data)
                    && row.get("way").equals(way)) {
                return row;
            }
        }
        throw new AssertionError("no row for " + List.of(link, data, way));
    }

    /** Describes a data set, such as "jars: 329 files, 132.5 MB; jars of ...", in words that need no explanation. */
    private static String words(String dataSet) {
        Matcher set = DATA_SET.matcher(dataSet);
        assertTrue(set.find(), dataSet);
        String files = set.group(2);
        return switch (set.group(1)) {
                    case "random" -> "one compressed file";
                    case "jars" -> files + " jars";
                    case "text" -> files + " source files and logs";
                    case "small" -> files + " small files";
                    default -> set.group(1) + ": " + files + " files";
                }
                + ", " + set.group(3) + " MB";
    }

    private static double megabytes(Map<?, ?> sample) {
        return BenchmarkData.number(sample, "wireBytes") / 1e6;
    }

    private static double processors(Map<?, ?> sample) {
        return BenchmarkData.number(sample, "agentCpu") + BenchmarkData.number(sample, "controllerCpu");
    }

    private static String round(double number) {
        return String.format(Locale.ROOT, number < 10 ? "%.1f" : "%.0f", number);
    }
}
