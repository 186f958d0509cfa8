package io.jenkins.plugins.compressionaware.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
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
 * Tests that troubleshooting.md has a row for each localized message that a log can hold, and that the row has its German text, too. Writes the German
 * texts with {@code -Dtroubleshooting.write}.
 */
class TroubleshootingTest {
    private static final String PAGE = "docs/troubleshooting.md";

    /** Anchor, English quotations, German ones, and the other columns of a row. */
    private static final Pattern ROW = Pattern.compile("(?m)^\\| <a id=\"([^\"]+)\"></a>(.*?)(<br>.*?)?( \\| .*)$");

    /** A call that logs above FINE, to its semicolon. */
    private static final Pattern RECORD = Pattern.compile(
            "(?s)\\b(?:(?:warning|info|severe)\\(|log\\((?!\\s*Level\\.FINE)(?=[^;]*\\bLevel\\b))[^;]*;\n");

    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

    private static final Pattern QUOTE = Pattern.compile("`([^`]+)`");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{[^{}]*(?:\\{[^{}]*}[^{}]*)*}");
    private static final List<String> PACKAGES =
            List.of("transfer", "directlane", "fetch", "report", "config", "store", "packed");

    /** Messages that are parts of lines, names, or texts of pages. */
    private static final Pattern PART =
            Pattern.compile("TransferRow\\..*|BuildTransfersAction\\..*|.*displayName|LaneState\\..*|LaneAdvice\\..*"
                    + "|UploadTransfer\\.here|EnumSetting\\.(?:inherited|\\w+\\..*)|EffectiveSettings\\..*|OverrideFormValidation\\..*|TransferOverride\\..*"
                    + "|BuildLogMessages\\.(?:transferred|reused|stored|archive|stash|unstash|fetch|chosen|direct|share|auto|uncompressed|asStored|sent|sentShare"
                    + "|streams|directAndChannel)|ProgressLine\\.(?:moved|sentOf)"
                    + "|.*\\.description|UnpackArtifactsCommand\\.done|UnpackTask\\.ended|S3Store\\.works");

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

    /** The controller's log is English. Records at FINE are details. */
    @Test
    void everyLogRecordHasRow() throws IOException {
        Map<String, String> rows = rows();
        TreeSet<String> missing = new TreeSet<>();
        try (Stream<Path> sources = Files.walk(Page.root().resolve("src/main/java"))) {
            for (Path source : sources.filter(Files::isRegularFile).toList()) {
                for (MatchResult record :
                        RECORD.matcher(Files.readString(source)).results().toList()) {
                    String text = String.join("…", literals(record.group()));
                    if (!text.isEmpty() && row(text, rows).isEmpty()) {
                        missing.add(source.getFileName() + ": " + text);
                    }
                }
            }
        }
        assertEquals(new TreeSet<>(), missing, "Add rows for these records to " + PAGE);
    }

    private static List<String> literals(String code) {
        return LITERAL.matcher(code)
                .results()
                .map(literal -> literal.group(1).replaceAll("\\{\\d}", "…"))
                .toList();
    }

    @Test
    void rowsHaveGermanTexts() throws IOException {
        Map<String, String> rows = rows();
        Map<String, String> english = messages("");
        Map<String, TreeSet<String>> german = new HashMap<>();
        messages("_de").forEach((key, text) -> {
            if (!PART.matcher(key).matches()) {
                row(english.get(key), rows)
                        .ifPresent(row -> german.computeIfAbsent(row, anchor -> new TreeSet<>())
                                .add("<br>`" + start(visible(text)) + '`'));
            }
        });
        Path file = Page.root().resolve(PAGE);
        String page = Files.readString(file);
        String current = ROW.matcher(page)
                .replaceAll(row -> Matcher.quoteReplacement("| <a id=\"" + row.group(1) + "\"></a>" + row.group(2)
                        + String.join("", german.getOrDefault(row.group(1), new TreeSet<>())) + row.group(4)));
        if (System.getProperty("troubleshooting.write") != null) {
            Files.writeString(file, current);
        } else {
            assertEquals(current, page, "Write these texts with ./test TroubleshootingTest -Dtroubleshooting.write");
        }
    }

    /** Returns the quoted English messages of each row, by the row's anchor. */
    private static Map<String, String> rows() {
        Map<String, String> rows = new LinkedHashMap<>();
        for (MatchResult row : ROW.matcher(Page.of(PAGE).text()).results().toList()) {
            rows.put(row.group(1), row.group(2));
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
