package io.jenkins.plugins.compressionaware.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Refuses words in English pages, messages, help texts, Javadoc and comments that CONTRIBUTING.md replaces with the field's own. */
class ProseTest {
    /** First words that put a clause or a negation in the place of the subject; a question may begin so. */
    private static final Pattern OPENER = Pattern.compile("(?:^|[.!:] +|\n\n"
            + "+|\n"
            + " *(?:[-*]|\\d+\\.) +)(?:What(?:ever)?|Who(?:ever)?|Nobody|Nothing|Those|(?:That )?[Oo]f)"
            + " [^.?]*\\.");

    /** Verbs of people, and words of former glossaries. */
    private static final Pattern WORD = Pattern.compile(
            "(?i)\\b(?:tells?|told|says|said|hears?|heard|ask(?:s|ed)?|brings?|brought|travel(?:s|led|ling)?|spare[sd]?|lands?|landed|landing|gives?"
                    + " back|given back|in vain|any more|nobody|somebody|everybody|whoever|whatever|for ever|in any"
                    + " case|all the same|pieces?|stored files?|excepted|exempted)\\b");

    private static final Pattern JAVA_COMMENT = Pattern.compile("(?s)/\\*\\*?(.*?)\\*/|(?<![:\"])//(.*?)\n");
    private static final Pattern MESSAGE = Pattern.compile("(?m)^[\\w.]+ *=((?:.*\\\\\n)*.*)$");

    @Test
    void pagesUseTheFieldsWords() throws IOException {
        List<String> found = new ArrayList<>();
        for (Page page : Page.all()) {
            check(page.file(), page.text().replaceAll("(?s)```.*?```|`[^`]*`|\\]\\([^)]*\\)|<[^>]*>", ""), found);
        }
        assertEquals(List.of(), found);
    }

    @Test
    void messagesAndHelpUseTheFieldsWords() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : files("src/main/resources", ".properties")) {
            MESSAGE.matcher(Files.readString(file)).results().forEach(line -> check(file, line.group(1), found));
        }
        for (Path file : files("src/main/resources", ".html")) {
            check(file, Files.readString(file).replaceAll("<[^>]*>", ""), found);
        }
        assertEquals(List.of(), found);
    }

    @Test
    void commentsUseTheFieldsWords() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : files("src/main/java", ".java")) {
            JAVA_COMMENT
                    .matcher(Files.readString(file))
                    .results()
                    .map(comment -> comment.group(1) == null ? comment.group(2) : comment.group(1))
                    .map(text -> text.replaceAll("\n *\\* ?", "\n")
                            .replaceAll("\\{@\\w+ [^}]*}|<[^>]*>", "")
                            .strip())
                    .forEach(text -> check(file, text, found));
        }
        assertEquals(List.of(), found);
    }

    private static List<Path> files(String folder, String end) throws IOException {
        try (Stream<Path> files = Files.walk(Page.root().resolve(folder))) {
            return files.filter(file ->
                            file.toString().endsWith(end) && !file.toString().contains("_de."))
                    .toList();
        }
    }

    private static void check(Path file, String text, List<String> found) {
        for (Pattern refused : List.of(OPENER, WORD)) {
            refused.matcher(text.replaceAll("[ \t]*\n(?=[^\n*-])", " "))
                    .results()
                    .forEach(place -> found.add(file + ": " + place.group().strip()));
        }
    }
}
