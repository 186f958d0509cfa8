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

/** The page shows the rows that are tested. Write it anew with {@code -Dfaults.write}. */
class FaultsPageTest {
    private static final Path FILE = Path.of("docs/faults.md");
    private static final String BEGIN = "<!-- rows -->\n";
    private static final String END = "<!-- end of rows -->";

    @Test
    void thePageHasTheRows() throws Exception {
        String text = Page.of(FILE.toString()).text();
        String page =
                text.substring(0, text.indexOf(BEGIN) + BEGIN.length()) + table() + text.substring(text.indexOf(END));
        if (System.getProperty("faults.write") != null) {
            Files.writeString(Page.root().resolve(FILE), page);
        }
        assertEquals(page, Page.of(FILE.toString()).text(), "Write it anew with -Dfaults.write");
    }

    /** A fault on some ways. */
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
        List<String> table = new ArrayList<>(
                List.of("| What happens | way | archive | stash | unstash | fetch |", "|---|---|---|---|---|---|"));
        lines.forEach((line, cells) -> table.add("| " + line.fault.title + " | " + line.ways
                + List.of(Operation.values()).stream()
                        .map(operation -> " | " + cells.getOrDefault(operation, ""))
                        .collect(Collectors.joining())
                + " |"));
        return String.join("\n", table) + "\n";
    }

    private static String cell(FaultMatrix.Row row) {
        String how =
                switch (row.outcome()) {
                    case COMPLETED -> "completes";
                    case ABORTED -> "is aborted";
                    default ->
                        row.says().startsWith("copied by the Copy Artifact plugin instead")
                                ? "copies otherwise"
                                : "fails";
                };
        String says =
                row.says().replace("{failed}", "… ").replace("{from}", "…").trim();
        return says.isEmpty() ? how : how + ": " + says;
    }
}
