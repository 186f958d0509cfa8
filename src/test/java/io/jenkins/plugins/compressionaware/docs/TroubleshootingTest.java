package io.jenkins.plugins.compressionaware.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests that troubleshooting.md has a row for each localized message that a log can hold, and that its table of German texts is current. Writes that
 * table with {@code -Dtroubleshooting.write}.
 */
class TroubleshootingTest {
    private static final String PAGE = "docs/troubleshooting.md";
    private static final Pattern GERMAN = Pattern.compile("(?s)(?<=<!-- german -->\n).*(?=<!-- end of german -->)");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| <a id=\"([^\"]+)\"></a>(.*)$");
    private static final Pattern QUOTE = Pattern.compile("`([^`]+)`");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{[^{}]*(?:\\{[^{}]*}[^{}]*)*}");
    private static final List<String> PACKAGES = List.of("transfer", "directlane", "fetch", "report");

    /** Messages that are parts of lines, names, or texts of pages. */
    private static final Pattern PART =
            Pattern.compile("TransferRow\\..*|BuildTransfersAction\\..*|.*displayName|LaneState\\..*|LaneAdvice\\..*"
                + "|UploadTransfer\\.here"
                + "|BuildLogMessages\\.(?:transferred|reused|stored|archive|stash|unstash|fetch|chosen|direct|share|auto|uncompressed|asStored|sent|sentShare"
                + "|streams|directAndChannel)|ProgressLine\\.(?:moved|sentOf)");

    @Test
    void everyLogMessageHasRow() throws IOException {
        Map<String, String> rows = rows();
        TreeSet<String> missing = new TreeSet<>();
        messages("").forEach((key, text) -> {
            if (!PART.matcher(key).matches() && row(text, rows).isEmpty()) {
                missing.add(key + ": " + text);
            }
        });
        assertEquals(new TreeSet<>(), missing, "Add rows for these messages to " + PAGE);
    }

    @Test
    void germanTextsAreCurrent() throws IOException {
        Map<String, String> rows = rows();
        Map<String, String> english = messages("");
        StringBuilder table = new StringBuilder("| German | see |\n|---|---|\n");
        messages("_de").entrySet().stream()
                .filter(german -> !PART.matcher(german.getKey()).matches())
                .map(german -> Map.entry(
                        visible(german.getValue()),
                        row(english.get(german.getKey()), rows).orElse("")))
                .filter(german -> !german.getValue().isEmpty())
                .sorted(Map.Entry.comparingByKey())
                .forEach(german -> table.append("| `%s` | [%s](#%s) |\n"
                        .formatted(start(german.getKey()), german.getValue().replace('-', ' '), german.getValue())));
        Path file = Page.root().resolve(PAGE);
        String page = Files.readString(file);
        Matcher shown = GERMAN.matcher(page);
        assertTrue(shown.find());
        if (System.getProperty("troubleshooting.write") != null) {
            Files.writeString(file, shown.replaceFirst(Matcher.quoteReplacement(table.toString())));
            return;
        }
        assertEquals(
                table.toString(),
                shown.group(),
                "Write the table with ./test TroubleshootingTest -Dtroubleshooting.write");
    }

    /** Returns the quoted messages of each row, by the row's anchor. */
    private static Map<String, String> rows() {
        Map<String, String> rows = new LinkedHashMap<>();
        for (MatchResult row : ROW.matcher(Page.of(PAGE).text()).results().toList()) {
            rows.put(row.group(1), row.group(2).replaceFirst(" \\| .*", ""));
        }
        return rows;
    }

    /** Returns the anchor of the row whose quotation has the longest literal text in common with a message. */
    private static Optional<String> row(String message, Map<String, String> rows) {
        String text = visible(message);
        return rows.entrySet().stream()
                .map(row -> Map.entry(row.getKey(), common(row.getValue(), text)))
                .filter(row -> row.getValue() > 0)
                .max(Comparator.comparing(Map.Entry<String, Integer>::getValue))
                .map(Map.Entry::getKey);
    }

    /** Returns the length of the longest quotation of a row that occurs in a text, each of whose literal parts is in the text. */
    private static int common(String row, String text) {
        return QUOTE.matcher(row)
                .results()
                .map(quote -> quote.group(1))
                .filter(quote -> Stream.of(quote.split("…")).allMatch(part -> text.contains(part.strip())))
                .mapToInt(quote -> quote.replace("…", "").strip().length())
                .max()
                .orElse(0);
    }

    /** Returns a message as a reader sees it, with … for each placeholder. */
    private static String visible(String message) {
        return PLACEHOLDER.matcher(message).replaceAll("…").replace("''", "'");
    }

    private static String start(String text) {
        return text.length() <= 90 ? text : text.substring(0, text.lastIndexOf(' ', 90)) + " …";
    }

    private static Map<String, String> messages(String language) throws IOException {
        Map<String, String> all = new LinkedHashMap<>();
        for (String name : PACKAGES) {
            Properties texts = new Properties();
            try (Reader in = Files.newBufferedReader(Page.root()
                    .resolve("src/main/resources/io/jenkins/plugins/compressionaware")
                    .resolve(name)
                    .resolve("Messages" + language + ".properties"))) {
                texts.load(in);
            }
            texts.forEach((key, text) -> all.put(key.toString(), text.toString()));
        }
        return all;
    }
}
