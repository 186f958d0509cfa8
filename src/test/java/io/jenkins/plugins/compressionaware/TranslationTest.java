package io.jenkins.plugins.compressionaware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.MessageFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that the German translation has every message, page text and help file. */
class TranslationTest {
    private static final Path RESOURCES = Path.of("src/main/resources/io/jenkins/plugins/compressionaware");

    /** A text for translation in Jelly, without arguments, such as {@code ${%Add it}} and {@code '%running'}. */
    private static final Pattern TEXT = Pattern.compile("(?:\\$\\{|')%([^}('\"]+)");

    @Test
    void messagesAndTextsAreTranslated() throws Exception {
        Map<Path, Map<String, String>> originals = originals();
        assertTrue(originals.size() > 4, "found " + originals.keySet());
        for (Map.Entry<Path, Map<String, String>> original : originals.entrySet()) {
            Path german = sibling(original.getKey(), ".properties");
            Map<String, String> translated = load(german);
            assertEquals(original.getValue().keySet(), translated.keySet(), german.toString());
            original.getValue().forEach((key, text) -> {
                assertFalse(translated.get(key).isBlank(), german + ": " + key);
                assertEquals(arguments(text), arguments(translated.get(key)), german + ": " + key);
            });
        }
    }

    @Test
    void helpFilesAreTranslated() throws Exception {
        List<Path> originals = originals(".html");
        assertTrue(originals.size() > 2, "found " + originals);
        for (Path original : originals) {
            Path german = sibling(original, ".html");
            assertTrue(Files.exists(german), german + " is missing");
            assertEquals(tags(original), tags(german), german + " has another structure");
        }
    }

    /** Returns texts by file and key. The keys of a page are those of its properties file, and texts that are their own keys. */
    private static Map<Path, Map<String, String>> originals() throws IOException {
        Map<Path, Map<String, String>> texts = new TreeMap<>();
        for (Path properties : originals(".properties")) {
            texts.put(properties, load(properties));
        }
        for (Path jelly : originals(".jelly")) {
            Matcher text = TEXT.matcher(Files.readString(jelly));
            Path properties =
                    jelly.resolveSibling(jelly.getFileName().toString().replace(".jelly", ".properties"));
            while (text.find()) {
                texts.computeIfAbsent(properties, p -> new TreeMap<>()).putIfAbsent(text.group(1), "");
            }
        }
        return texts;
    }

    private static List<Path> originals(String type) throws IOException {
        try (Stream<Path> files = Files.walk(RESOURCES)) {
            return files.filter(file ->
                            file.toString().endsWith(type) && !file.toString().endsWith("_de" + type))
                    .sorted()
                    .toList();
        }
    }

    private static Path sibling(Path original, String type) {
        String name = original.getFileName().toString();
        return original.resolveSibling(name.substring(0, name.length() - type.length()) + "_de" + type);
    }

    private static Map<String, String> load(Path file) throws IOException {
        Properties properties = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            properties.load(in);
        }
        Map<String, String> texts = new TreeMap<>();
        properties.stringPropertyNames().forEach(key -> texts.put(key, properties.getProperty(key)));
        return texts;
    }

    private static int arguments(String text) {
        return new MessageFormat(text).getFormatsByArgumentIndex().length;
    }

    private static TreeSet<String> tags(Path html) throws IOException {
        TreeSet<String> tags = new TreeSet<>();
        Matcher tag = Pattern.compile("<[a-z0-9]+").matcher(Files.readString(html));
        while (tag.find()) {
            tags.add(tag.group());
        }
        return tags;
    }
}
