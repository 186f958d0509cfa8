package io.jenkins.plugins.compressionaware.adapt;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes the grid's results into the documentation: the marked parts of {@code auto-selection.md}, the full table, and the plot. */
final class GridReport {
    private static final double GOOD = 1.10;
    private static final int HARDEST = 8;
    private static final int[] MEGABYTES = {10, 100, 500, 2000};

    private final List<GridResult> results = GridResult.all();

    private GridReport() {}

    /**
     * @param args the folder {@code docs}
     */
    public static void main(String[] args) throws IOException {
        Path docs = Path.of(args[0]);
        GridReport report = new GridReport();
        Path page = docs.resolve("auto-selection.md");
        String text = Files.readString(page);
        text = replace(text, "summary", report.summary());
        text = replace(text, "data", report.byData());
        text = replace(text, "choices", report.byChoice());
        text = replace(text, "hardest", report.hardest());
        text = replace(text, "sizes", sizes());
        Files.writeString(page, text);
        Files.writeString(docs.resolve("auto-selection-grid.md"), report.full());
        Files.writeString(docs.resolve("images/auto-selection.svg"), GridPlot.svg(report.results));
    }

    private static String replace(String text, String part, String content) {
        Matcher marked = Pattern.compile("(<!-- " + part + " -->\n).*(<!-- /" + part + " -->)", Pattern.DOTALL)
                .matcher(text);
        if (!marked.find()) {
            throw new IllegalArgumentException("The page has no part marked as " + part);
        }
        return marked.replaceFirst("$1" + Matcher.quoteReplacement(content) + "$2");
    }

    private String summary() {
        double worstSituation =
                results.stream().mapToDouble(GridResult::autoOverBest).max().orElseThrow();
        double worstTransfer =
                results.stream().mapToDouble(GridResult::worst).max().orElseThrow();
        return String.format(
                Locale.ROOT,
                "%d situations, %d transfers. Mean over the situations: %.3f times the best fixed choice. Worst situation: %.3f. Worst single "
                        + "transfer: %.3f. Single transfers over %.2f: %d. Changes of a choice in a transfer of %d blocks: %.0f in the mean "
                        + "of the situations' most restless transfers, %d at most.\n",
                results.size(),
                singles(results).length,
                auto(results),
                worstSituation,
                worstTransfer,
                GOOD,
                over(results),
                Grid.BLOCKS,
                results.stream().mapToInt(GridResult::switches).average().orElseThrow(),
                results.stream().mapToInt(GridResult::switches).max().orElseThrow());
    }

    /** A row for each kind of data, a column for each link. */
    private String byData() {
        StringBuilder table = new StringBuilder();
        List<String> links = distinct(results, GridReport::link);
        head(table, Stream.concat(Stream.of("data"), links.stream()).toList());
        for (String data : distinct(results, GridReport::data)) {
            List<String> cells = new ArrayList<>(List.of(data));
            for (String link : links) {
                List<GridResult> some = results.stream()
                        .filter(result ->
                                data(result).equals(data) && link(result).equals(link))
                        .toList();
                cells.add(String.format(Locale.ROOT, "%.2f (%.2f)", auto(some), worst(some)));
            }
            row(table, cells);
        }
        return table.toString();
    }

    /** A row for each link and one for all. */
    private String byChoice() {
        StringBuilder table = new StringBuilder();
        head(table, Stream.concat(Stream.of("link"), columns()).toList());
        for (String link : distinct(results, GridReport::link)) {
            List<GridResult> some =
                    results.stream().filter(result -> link(result).equals(link)).toList();
            row(table, Stream.concat(Stream.of(link), means(some)).toList());
        }
        row(table, Stream.concat(Stream.of("all"), means(results)).toList());
        return table.toString();
    }

    private static Stream<String> columns() {
        return Stream.concat(
                Stream.of("auto", "worst single", "singles over " + number(GOOD)),
                SimData.CHOICES.stream().map(Choice::toString));
    }

    private static Stream<String> means(List<GridResult> some) {
        return Stream.concat(
                Stream.of(number(auto(some)), number(worst(some)), over(some) + " of " + singles(some).length),
                SimData.CHOICES.stream()
                        .map(SimData.CHOICES::indexOf)
                        .map(i -> number(GridResult.mean(some, result -> result.fixedOverBest(i)))));
    }

    private String hardest() {
        StringBuilder table = new StringBuilder();
        head(table, List.of("link", "round trip", "data", "best fixed choice", "auto over best", "worst single"));
        results.stream()
                .sorted(Comparator.comparingDouble(GridResult::worst).reversed())
                .limit(HARDEST)
                .forEach(result -> row(
                        table,
                        List.of(
                                link(result),
                                roundTrip(result),
                                data(result),
                                result.bestChoice().toString(),
                                number(result.autoOverBest()),
                                number(result.worst()))));
        return table.toString();
    }

    private static String sizes() {
        StringBuilder table = new StringBuilder();
        List<String> head = new ArrayList<>(List.of("size"));
        for (int megabytes : MEGABYTES) {
            List<GridResult> some = GridResult.all((int) (megabytes * 1_000_000L / Situation.BLOCK), 1);
            List<String> links = distinct(some, GridReport::link);
            if (table.isEmpty()) {
                head.addAll(links);
                head.addAll(List.of("over " + number(GOOD), "worst", "most time lost from 1 Gbit/s on"));
                head(table, head);
            }
            List<String> cells = new ArrayList<>(List.of(megabytes + " MB"));
            for (String link : links) {
                cells.add(number(auto(some.stream()
                        .filter(result -> link(result).equals(link))
                        .toList())));
            }
            cells.add(over(some) + " of " + some.size());
            cells.add(number(worst(some)));
            cells.add(String.format(
                    Locale.ROOT,
                    "%.2f s",
                    some.stream()
                            .filter(result -> result.transfers().get(0).megabits() >= 1000)
                            .mapToDouble(result -> result.auto() - result.best())
                            .max()
                            .orElseThrow()));
            row(table, cells);
        }
        return table.toString();
    }

    private String full() {
        StringBuilder text = new StringBuilder("""
                # Every situation of the grid

                Written by `GridReport`; [auto-selection.md](auto-selection.md) tells what the situations are. Times are simulated: the best fixed
                choice and its time in seconds (geometric mean of the transfers), then the time of `auto` and of each fixed choice over that.

                """);
        head(
                text,
                Stream.of(Stream.of("link", "round trip", "data", "best", "seconds"), columns(), Stream.of("changes"))
                        .flatMap(Function.identity())
                        .toList());
        for (GridResult result : results) {
            row(
                    text,
                    Stream.of(
                                    Stream.of(
                                            link(result),
                                            roundTrip(result),
                                            data(result),
                                            result.bestChoice().toString(),
                                            String.format(Locale.ROOT, "%.1f", result.best())),
                                    means(List.of(result)),
                                    Stream.of(Integer.toString(result.switches())))
                            .flatMap(Function.identity())
                            .toList());
        }
        return text.toString();
    }

    private static double auto(List<GridResult> some) {
        return GridResult.mean(some, GridResult::autoOverBest);
    }

    private static double[] singles(List<GridResult> some) {
        return some.stream()
                .flatMapToDouble(result -> Arrays.stream(result.single()))
                .toArray();
    }

    private static double worst(List<GridResult> some) {
        return Arrays.stream(singles(some)).max().orElseThrow();
    }

    private static long over(List<GridResult> some) {
        return Arrays.stream(singles(some)).filter(single -> single > GOOD).count();
    }

    private static String data(GridResult result) {
        return result.transfers().get(0).name();
    }

    private static String link(GridResult result) {
        double megabits = result.transfers().get(0).megabits();
        return megabits < 1000
                ? String.format(Locale.ROOT, "%.0f Mbit/s", megabits)
                : String.format(Locale.ROOT, "%.0f Gbit/s", megabits / 1000);
    }

    private static String roundTrip(GridResult result) {
        double millis = result.transfers().get(0).roundTrip() / 1e6;
        return String.format(Locale.ROOT, millis < 1 ? "%.1f ms" : "%.0f ms", millis);
    }

    private static List<String> distinct(List<GridResult> some, Function<GridResult, String> name) {
        return some.stream().map(name).distinct().toList();
    }

    private static String number(double quotient) {
        return String.format(Locale.ROOT, "%.2f", quotient);
    }

    private static void head(StringBuilder table, Collection<String> cells) {
        row(table, cells);
        row(table, cells.stream().map(cell -> "---").toList());
    }

    private static void row(StringBuilder table, Collection<String> cells) {
        table.append(cells.stream().collect(Collectors.joining(" | ", "| ", " |\n")));
    }
}
