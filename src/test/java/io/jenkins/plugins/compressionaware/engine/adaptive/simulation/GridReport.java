package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Writes the results of the grid into the marked parts of {@code simulation.md}, and the plot beside them. */
final class GridReport {
    /** Differs from the seeds of the test and from those by which the selector was tuned. */
    private static final int FIRST_SEED = 1001;

    private static final int DRAWS = 10;
    private static final int[] OTHER_SIZES = {10, 25, 100};

    private final List<GridResult> results = GridResult.all(FIRST_SEED, DRAWS, GridResult.MEGABYTES, false);

    private GridReport() {}

    /** @param args the folder {@code docs} */
    public static void main(String[] args) throws IOException {
        Path docs = Path.of(args[0]);
        GridReport report = new GridReport();
        Path page = docs.resolve("simulation.md");
        String text = Files.readString(page);
        text = replace(text, "sizes", report.sizes());
        text = replace(text, "choices", report.byChoice());
        Files.writeString(page, text);
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

    /** Returns a row for each length of transfers. */
    private String sizes() {
        List<List<String>> rows = new ArrayList<>();
        String head = "size|transfers|situations: mean|95 %|transfers: mean|95 %|99 %|worst|CPU time";
        rows.add(List.of(head.split("\\|")));
        rows.add(size(GridResult.MEGABYTES + " MB", results));
        for (int megabytes : OTHER_SIZES) {
            for (boolean known : new boolean[] {false, true}) {
                String size = megabytes + " MB" + (known ? ", link known" : "");
                rows.add(size(size, GridResult.all(FIRST_SEED, DRAWS / 3, megabytes, known)));
            }
        }
        return table(rows);
    }

    private static List<String> size(String size, List<GridResult> scenarios) {
        List<TransferComparison> comparisons = GridResult.comparisons(scenarios);
        return List.of(
                size,
                Integer.toString(comparisons.size()),
                exact(GridResult.mean(scenarios, GridResult::autoOverBest)),
                exact(GridResult.quantile(scenarios, 0.95, GridResult::autoOverBest)),
                exact(GridResult.mean(comparisons, TransferComparison::autoOverBest)),
                exact(GridResult.quantile(comparisons, 0.95, TransferComparison::autoOverBest)),
                exact(GridResult.quantile(comparisons, 0.99, TransferComparison::autoOverBest)),
                exact(GridResult.quantile(comparisons, 1, TransferComparison::autoOverBest)),
                number(GridResult.mean(
                        comparisons,
                        comparison -> comparison.auto().cpuSeconds()
                                / comparison.best().cpuSeconds())));
    }

    /** Returns a row for each link and one for all. */
    private String byChoice() {
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("auto"));
        TransferComparison.FIXED.forEach(choice -> head.add(choice.toString()));
        rows.add(row("link", head));
        by(GridReport::link, results).forEach((link, some) -> rows.add(row(link, means(some))));
        rows.add(row("all", means(results)));
        return table(rows);
    }

    private static List<String> means(List<GridResult> some) {
        List<String> means = new ArrayList<>(List.of(number(GridResult.mean(some, GridResult::autoOverBest))));
        for (CodecLevel choice : TransferComparison.FIXED) {
            means.add(number(GridResult.mean(some, result -> result.fixedOverBest(choice))));
        }
        return means;
    }

    private static String link(GridResult result) {
        double megabits = result.scenario().megabits();
        return megabits < 1000
                ? String.format(Locale.ROOT, "%.0f Mbit/s", megabits)
                : String.format(Locale.ROOT, "%.0f Gbit/s", megabits / 1000);
    }

    private static Map<String, List<GridResult>> by(Function<GridResult, String> name, List<GridResult> some) {
        return some.stream().collect(Collectors.groupingBy(name, LinkedHashMap::new, Collectors.toList()));
    }

    private static String number(double quotient) {
        return String.format(Locale.ROOT, "%.2f", quotient);
    }

    private static String exact(double quotient) {
        return String.format(Locale.ROOT, "%.3f", quotient);
    }

    private static List<String> row(String first, Collection<String> others) {
        List<String> row = new ArrayList<>(List.of(first));
        row.addAll(others);
        return row;
    }

    /** Formats rows, the first of which is the head. */
    private static String table(List<List<String>> rows) {
        List<List<String>> all = new ArrayList<>(rows);
        all.add(1, rows.get(0).stream().map(cell -> "---").toList());
        return all.stream()
                .map(row -> row.stream().collect(Collectors.joining(" | ", "| ", " |\n")))
                .collect(Collectors.joining());
    }
}
