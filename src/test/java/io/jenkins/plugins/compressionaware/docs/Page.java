package io.jenkins.plugins.compressionaware.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A page of the documentation.
 *
 * @param file relative to the root of the repository
 */
public record Page(Path file, String text) {
    private static final Pattern FENCE = Pattern.compile("(?ms)^ *```(\\w*)\\R(.*?)^ *```$");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.*?) *$");
    private static final Pattern ANCHOR = Pattern.compile("<a id=\"([^\"]+)\"></a>");
    private static final Pattern LINK =
            Pattern.compile("]\\(([^)\\s]+)(?: \"[^\"]*\")?\\)|(?:src|srcset|href)=\"([^\"]+)\"");
    private static final Set<String> NO_PAGES = Set.of("target", "node_modules", ".git", "work");

    /**
     * A fenced code block of a page.
     *
     * @param language word after the opening fence; empty if there is none
     */
    public record Sample(Page page, String language, String code) {
        @Override
        public String toString() {
            return page.file + ", ```" + language + " that begins with "
                    + code.lines().findFirst().orElse("");
        }
    }

    /** Returns the root of the repository. The standalone build runs tests two folders below. */
    public static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("LICENSE.md"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    public static Page of(String file) {
        try {
            return new Page(Path.of(file), Files.readString(root().resolve(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns all pages of the repository. */
    public static List<Page> all() throws IOException {
        Path root = root();
        try (Stream<Path> files = Files.find(
                root, 5, (file, attributes) -> file.getFileName().toString().endsWith(".md"))) {
            return files.map(root::relativize)
                    .filter(file -> Stream.iterate(file, p -> p != null, Path::getParent)
                            .noneMatch(p -> NO_PAGES.contains(p.getFileName().toString())))
                    .map(file -> of(file.toString()))
                    .toList();
        }
    }

    public List<Sample> samples() {
        return FENCE.matcher(text)
                .results()
                .map(fence -> new Sample(
                        this, fence.group(1), fence.group(2).stripTrailing().stripIndent()))
                .toList();
    }

    public static List<Sample> samples(String language) throws IOException {
        return all().stream()
                .flatMap(page -> page.samples().stream())
                .filter(sample -> sample.language.equals(language))
                .toList();
    }

    /** Returns the targets of links and pictures, as written. */
    List<String> links() {
        return LINK.matcher(prose().replaceAll("`[^`\n]*`", "`"))
                .results()
                .map(link -> link.group(1) == null ? link.group(2) : link.group(1))
                .toList();
    }

    /** Returns the anchors of table rows, and those that GitHub generates for headings. */
    public Set<String> anchors() {
        Stream<String> headings = HEADING.matcher(prose())
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'));
        Stream<String> rows = ANCHOR.matcher(prose()).results().map(anchor -> anchor.group(1));
        return Stream.concat(headings, rows).collect(Collectors.toSet());
    }

    private String prose() {
        return FENCE.matcher(text).replaceAll("");
    }
}
