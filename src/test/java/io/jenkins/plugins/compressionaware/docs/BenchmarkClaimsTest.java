package io.jenkins.plugins.compressionaware.docs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.DoubleStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the ranges in the sentences about benchmarks with the data. {@link ReadmeResultsTest} and the benchmark itself make the tables. */
class BenchmarkClaimsTest {
    private static final List<String> WORDS = List.of("no", "one", "two", "three", "four", "five", "six");

    private final List<Map<?, ?>> rows = BenchmarkData.runs().stream()
            .flatMap(run -> BenchmarkData.rows(run).stream())
            .toList();

    /** Each text has the smallest and the largest quotient of the medians of two ways, over all rows of the section, link and data. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "README.md # LAN, 1 Gbit/s:** %s to %s times as fast # 0 # SHAPED # .*0.5 ms # .* # wallSeconds # core # auto-direct",
                "README.md # an `unstash` %s to %s times # 1 # READERS # .*1 Gbit/s.* # .* # wallSeconds # core # auto-direct",
                "README.md # with a round trip of 10 ms, %s to %s times # 0 # SHAPED # .*10 ms # .* # wallSeconds # core # auto-direct",
                "README.md # round trip of 100 ms:** %s to %s times # 0 # SHAPED # .*100 ms.* # .* # wallSeconds # core # auto-direct",
                "README.md # %s to %s times for archives of text # 1 # SHAPED # .*Mbit/s # text # wallSeconds # core # auto-direct",
                "README.md # %s to %s times as fast at 1 Gbit/s # words # SHAPED|READERS # .*1 Gbit/s.* # .* # wallSeconds # core # auto-direct",
                "src/main/resources/index.jelly # %s to %s times as fast # words # SHAPED|READERS # .*1 Gbit/s.* # .* # wallSeconds # core # auto-direct",
                ".github/settings.yml # %s to %s times as fast # words # SHAPED|READERS # .*1 Gbit/s.* # .* # wallSeconds # core # auto-direct",
                "docs/benchmarks.md # arrive %s to %s times as fast over TCP # 0 # ARCHIVE # TCP # .* # wallSeconds # core # auto-direct",
                "docs/benchmarks.md # over TCP, %s to %s times over WebSocket # 0 # ARCHIVE # WebSocket # .* # wallSeconds # core # auto-direct",
                "docs/benchmarks.md # for %s to %s % of the CPU time # % # ARCHIVE # .* # .* # agentCpu+controllerCpu # auto-direct # core",
                "docs/benchmarks.md # At 1 Gbit/s**, archives arrive %s to %s times # 0 # SHAPED # .*0.5 ms # .* # wallSeconds # core # auto-direct",
                "docs/benchmarks.md # with a round trip of 10 ms %s to %s times # 0 # SHAPED # .*10 ms # .* # wallSeconds # core # auto-direct",
                "docs/benchmarks.md # unstashes %s to %s times # 1 # READERS # .*1 Gbit/s.* # .* # wallSeconds # core # auto-direct",
                "docs/benchmarks.md # With 100 ms**, archives arrive %s to %s times # 0 # SHAPED # .*100 ms.* # .* # wallSeconds # core # auto-direct",
                "docs/benchmarks.md # needs %s to %s % of the CPU time to receive # % # ARCHIVE|SHAPED|LARGE # .* # .* # controllerCpu # auto-direct # core",
                "docs/benchmarks.md # `scp` takes %s to %s times as long # 1 # ARCHIVE # TCP # jars|text|small # wallSeconds # scp # auto-direct",
                "docs/benchmarks.md # `copyArtifacts` arrive %s to %s times as fast # 0 # FETCH # TCP # .* # wallSeconds # core # auto-direct",
                "docs/benchmarks.md # small files are archived and unstashed %s to %s times as fast # 0 # SLOW # .*(archive|unstash) # .* # wallSeconds # core # auto-direct",
                "docs/benchmarks.md # a jar of jars arrives %s to %s times as fast # 0 # HISTORIES # .* # fat-jar, build 2 # wallSeconds # core # auto-direct-delta",
                "docs/benchmarks.md # stashes of a new agent take %s to %s times as long as on the controller # 1 # STASH # TCP, fresh, stash # .* # wallSeconds # s3 # auto-direct",
                "docs/benchmarks-tools.md # the plugin took %s to %s times as long as `tar` # 1 # ARCHIVE # TCP # .* # wallSeconds # auto-direct # tar",
                "docs/administrators.md # it sent %s to %s times as many bytes # 1 # SHAPED|READERS # .* # .* # wireBytes # auto-direct # core",
            })
    void sentencesHaveMeasuredRanges(
            String page,
            String text,
            String digits,
            String section,
            String link,
            String data,
            String figure,
            String way,
            String other)
            throws IOException {
        DoubleSummaryStatistics quotients = rows.stream()
                .filter(row ->
                        matches(row, section, link, data) && row.get("way").equals(way))
                .flatMapToDouble(row -> quotient(row, other, figure))
                .summaryStatistics();
        String expected = text.replaceFirst("%s", shown(quotients.getMin(), digits))
                .replaceFirst("%s", shown(quotients.getMax(), digits));
        String shown = Files.readString(Page.root().resolve(page)).replaceAll("\\s+", " ");
        assertTrue(shown.contains(expected), page + " lacks: " + expected);
    }

    private static boolean matches(Map<?, ?> row, String section, String link, String data) {
        return row.get("section").toString().matches(section)
                && row.get("link").toString().matches(link)
                && row.get("data").toString().matches(data);
    }

    private DoubleStream quotient(Map<?, ?> row, String other, String figure) {
        Optional<Map<?, ?>> compared = rows.stream()
                .filter(each -> List.of("section", "link", "data").stream()
                                .allMatch(key -> each.get(key).equals(row.get(key)))
                        && each.get("way").equals(other))
                .findFirst();
        return compared.stream().mapToDouble(each -> median(row, figure) / median(each, figure));
    }

    private static double median(Map<?, ?> row, String figure) {
        return BenchmarkData.median(
                row,
                sample -> Arrays.stream(figure.split("\\+"))
                        .mapToDouble(name -> BenchmarkData.number(sample, name))
                        .sum());
    }

    private static String shown(double quotient, String digits) {
        return switch (digits) {
            case "%" -> String.format(Locale.ROOT, "%.0f", 100 * quotient);
            case "words" -> WORDS.get((int) Math.round(quotient));
            case "1" -> String.format(Locale.ROOT, quotient < 10 ? "%.1f" : "%.0f", quotient);
            default -> String.format(Locale.ROOT, "%.0f", quotient);
        };
    }
}
