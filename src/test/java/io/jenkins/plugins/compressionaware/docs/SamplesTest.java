package io.jenkins.plugins.compressionaware.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.ThrowingConsumer;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * Checks the fenced examples of all pages. {@code EcosystemTest} runs Pipelines, Job DSL and YAML in a real Jenkins; {@link AddingACodecTest} and
 * {@link WireFormatTest} run Java; other languages are checked for simple grammar.
 */
class SamplesTest {
    private static final Pattern OPTION = Pattern.compile("(?<= )--[a-z-]+");
    /** A letter of a German message. */
    private static final Pattern ESCAPE = Pattern.compile("\\\\u([0-9A-Fa-f]{4})");

    private static final Pattern QUOTE = Pattern.compile("`([^`]+)`");
    private static final Pattern LOG_LINE = Pattern.compile(
            "(Artifacts|Stash \\S+|Unstash \\S+): [0-9,]+ files?, \\S+ [kMGT]?B in [0-9.]+ s \\([0-9,.]+ MB/s\\),"
                    + " [0-9.]+ [kMG]?B sent( \\([0-9]+%\\))?(, [0-9.]+ [kMG]?B reused from build [0-9]+)?; [^;]+(;"
                    + " limited by [^;]+)?(; (direct HTTP [^;]+|[0-9] streams))?");

    private static final Pattern PROGRESS_LINE = Pattern.compile(
            "(Artifacts|Stash \\S+|Unstash \\S+) so far: ([0-9]+%, )?[0-9.]+ [kMG]?B(, [0-9.]+ [kMG]?B received| of"
                    + " [0-9.]+ [kMG]?B sent), .*");

    private static final Map<String, ThrowingConsumer<String>> CHECKS = Map.of(
            "apache", SamplesTest::apache,
            "groovy", SamplesTest::groovy,
            "java", code -> {},
            "mermaid", SamplesTest::mermaid,
            "nginx", SamplesTest::nginx,
            "sh", SamplesTest::commands,
            "text", SamplesTest::logLines,
            "yaml", SamplesTest::yaml);

    @TestFactory
    Stream<DynamicTest> samplesAreValid() throws IOException {
        return Page.all().stream()
                .flatMap(page -> page.samples().stream())
                .map(sample -> DynamicTest.dynamicTest(sample.toString(), () -> {
                    ThrowingConsumer<String> check = CHECKS.get(sample.language());
                    assertTrue(
                            check != null,
                            sample + ": name one of these languages after the fence: " + CHECKS.keySet());
                    check.accept(sample.code());
                }));
    }

    private static void yaml(String code) {
        new Yaml(new SafeConstructor(new LoaderOptions())).loadAll(code).forEach(document -> {
            assertTrue(document instanceof Map, "a mapping is expected");
        });
    }

    private static void groovy(String code) {
        assertTrue(
                code.matches("(?s)(// Job DSL|pipeline \\{|node\\(|properties\\().*"),
                "begin with // Job DSL, pipeline {, node( or properties(, so that a test can run it in Jenkins");
        assertFalse(code.contains("..."), "write the example in full, so that a test can run it");
    }

    /** Checks that our own programs exist and accept the options. */
    private static void commands(String code) throws IOException {
        for (String line : code.lines().filter(l -> l.startsWith("./")).toList()) {
            Path program = Page.root().resolve(line.split(" ")[0]);
            assertTrue(Files.isExecutable(program), program + " is no program");
            String usage = Files.readString(program);
            OPTION.matcher(line.replaceFirst("#.*", ""))
                    .results()
                    .forEach(option -> assertTrue(
                            usage.matches("(?s).*" + option.group() + "(?![a-z-]).*"),
                            program + " has no " + option.group()));
        }
    }

    private static void logLines(String text) {
        text.lines()
                .filter(line -> line.matches("(Artifacts|Stash|Unstash).*"))
                .forEach(line -> assertTrue(
                        LOG_LINE.matcher(line).matches()
                                || PROGRESS_LINE.matcher(line).matches(),
                        "no log line has this form: " + line));
    }

    private static void mermaid(String code) {
        assertTrue(code.matches("(?s)(flowchart|sequenceDiagram).*"), "begin with flowchart or sequenceDiagram");
        List<String> words = code.lines().map(String::strip).toList();
        assertEquals(
                words.stream()
                        .filter(l -> l.matches("(subgraph|loop|alt|opt|par) .*"))
                        .count(),
                words.stream().filter(l -> l.equals("end")).count(),
                "each block has an end");
    }

    private static void nginx(String code) {
        int depth = 0;
        for (String line :
                code.lines().map(l -> l.replaceFirst("#.*", "").strip()).toList()) {
            assertTrue(line.isEmpty() || line.matches(".*[;{}]"), "no end of a directive: " + line);
            depth += line.endsWith("{") ? 1 : line.equals("}") ? -1 : 0;
            assertTrue(depth >= 0, "one brace too many: " + line);
        }
        assertEquals(0, depth, "a brace is missing");
    }

    private static void apache(String code) {
        List<String> open = new ArrayList<>();
        for (String line :
                code.lines().map(String::strip).filter(l -> !l.isEmpty()).toList()) {
            if (line.startsWith("</")) {
                assertEquals(open.remove(open.size() - 1), line.substring(2, line.length() - 1));
            } else if (line.startsWith("<")) {
                open.add(line.substring(1).split("[ >]")[0]);
            } else {
                assertTrue(line.matches("#.*|[A-Z][A-Za-z]+ .+"), "no directive: " + line);
            }
        }
        assertEquals(List.of(), open, "not closed");
    }

    /** The first column of each table quotes messages of the plugin. */
    @Test
    void messagesQuotedInTroubleshootingExist() throws Exception {
        StringBuilder messages = new StringBuilder();
        try (Stream<Path> files = Files.walk(Page.root().resolve("src/main"))) {
            for (Path file : files.filter(f -> f.toString()
                            .matches(".*(\\.java|Messages(_de)?\\.properties|message\\.jelly|message\\.properties)"))
                    .toList()) {
                String text = Files.readString(file).replace("''", "'").replaceAll("\"\\s*\\+ \"", "");
                messages.append(ESCAPE.matcher(text)
                        .replaceAll(
                                c -> Matcher.quoteReplacement(Character.toString(Integer.parseInt(c.group(1), 16)))));
            }
        }
        List<String> rows = Page.of("docs/troubleshooting.md")
                .text()
                .lines()
                .map(line -> line.replaceFirst("<a id=\"[^\"]+\"></a>", ""))
                .filter(line -> line.startsWith("| `"))
                .toList();
        assertTrue(rows.size() > 50, "rows: " + rows);
        for (String row : rows) {
            QUOTE.matcher(row.split("\\|")[1])
                    .results()
                    .flatMap(quote -> Stream.of(quote.group(1).split("…")))
                    .forEach(part -> assertTrue(
                            messages.indexOf(part.strip()) >= 0,
                            "No message contains “" + part.strip() + "”: correct " + row));
        }
    }
}
