package io.jenkins.plugins.compressionaware.bench;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.List;

/** Tables for a Markdown file. */
final class Markdown {
    /** What the library draws around heads and cells; nothing else is drawn. */
    private static final Character[] BORDER = {
        null, null, null, null, '|', '|', '|', '|', '-', '|', '|', '|', '|', '|', null, null, null, null, null, null, null, null, null, null,
        null, null, null, null, null
    };

    private Markdown() {}

    static List<String> table(List<String> head, List<List<String>> rows) {
        Column[] columns = head.stream()
                .map(title -> new Column()
                        .header(title)
                        .headerAlign(HorizontalAlign.LEFT)
                        .dataAlign(HorizontalAlign.LEFT)
                        .maxWidth(1_000))
                .toArray(Column[]::new);
        String[][] cells = rows.stream().map(row -> row.toArray(String[]::new)).toArray(String[][]::new);
        return AsciiTable.getTable(BORDER, columns, cells).lines().toList();
    }
}
