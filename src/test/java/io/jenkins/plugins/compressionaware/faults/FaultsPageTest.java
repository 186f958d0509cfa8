package io.jenkins.plugins.compressionaware.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.docs.Page;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Compares the table of faults.md with {@link FaultMatrix}, or writes it with {@code -Dfaults.write}. */
class FaultsPageTest {
    private static final Path FILE = Path.of("docs/faults.md");
    private static final String BEGIN = "<!-- rows -->\n";
    private static final String END = "<!-- end of rows -->";

    @Test
    void pageShowsAllRows() throws Exception {
        String text = Page.of(FILE.toString()).text();
        String page =
                text.substring(0, text.indexOf(BEGIN) + BEGIN.length()) + table() + text.substring(text.indexOf(END));
        if (System.getProperty("faults.write") != null) {
            Files.writeString(Page.root().resolve(FILE), page);
        }
        assertEquals(page, Page.of(FILE.toString()).text(), "Update the table with -Dfaults.write");
    }

    /** A row of the table: a fault and the ways in which it is tested. */
    private record Line(Fault fault, String ways) {}

    private static String table() {
        Map<Line, Map<Operation, String>> lines = new LinkedHashMap<>();
        for (FaultMatrix.Row row : FaultMatrix.ROWS) {
            Line line = new Line(
                    row.fault(), row.ways().stream().map(way -> way.title).collect(Collectors.joining(", ")));
            row.operations()
                    .forEach(operation -> lines.computeIfAbsent(line, l -> new EnumMap<>(Operation.class))
                            .put(operation, cell(row)));
        }
        List<String> table = new ArrayList<>(List.of(
                "| Fault | way | archive | packed | stash | unstash | fetch |", "|---|---|---|---|---|---|---|"));
        Map<String, List<String>> faults = new LinkedHashMap<>();
        lines.forEach((line, cells) -> {
            String others = line.ways
                    + List.of(Operation.values()).stream()
                            .map(operation -> " | " + cells.getOrDefault(operation, ""))
                            .collect(Collectors.joining());
            faults.computeIfAbsent(others, equal -> new ArrayList<>()).add(line.fault.title);
        });
        faults.forEach((others, titles) -> table.add("| " + String.join("; ", titles) + " | " + others + " |"));
        return String.join("\n", table) + "\n";
    }

    private static String cell(FaultMatrix.Row row) {
        String outcome =
                switch (row.outcome()) {
                    case COMPLETED -> "completes";
                    case ABORTED -> "is aborted";
                    default ->
                        row.says().startsWith("copied by the Copy Artifact plugin instead") ? "falls back" : "fails";
                };
        String says =
                row.says().replace("{failed}", "… ").replace("{from}", "…").trim();
        return says.isEmpty() ? outcome : outcome + ": " + says;
    }
}
