package io.jenkins.plugins.compressionaware.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests links between pages and to files, without network access. */
class LinksTest {
    private static final Path ROOT = Page.root();

    @Test
    void linksHaveTargets() throws Exception {
        List<String> broken = new ArrayList<>();
        for (Page page : Page.all()) {
            for (String link : page.links()) {
                String problem = problem(page, link);
                if (problem != null) {
                    broken.add(page.file() + ": (" + link + ") " + problem);
                }
            }
        }
        assertEquals(List.of(), broken, "Correct these links or their targets");
    }

    private static String problem(Page page, String link) {
        if (link.matches("[a-z]+:.*")) {
            return link.startsWith("https://") ? null : "is not https";
        }
        int hash = link.indexOf('#');
        String file = hash < 0 ? link : link.substring(0, hash);
        Path target = file.isEmpty() ? page.file() : resolve(page, file);
        if (!Files.exists(ROOT.resolve(target))) {
            return "there is no " + target;
        }
        return hash < 0 || Page.of(target.toString()).anchors().contains(link.substring(hash + 1))
                ? null
                : target + " has no such heading";
    }

    private static Path resolve(Page page, String file) {
        return page.file().resolveSibling(file).normalize();
    }

    @Test
    void pagesAreReachableFromReadme() throws Exception {
        TreeSet<String> unseen = new TreeSet<>();
        Page.all().stream()
                .map(page -> page.file().toString())
                .filter(file -> !file.startsWith("."))
                .filter(file -> !file.contains(".mvn"))
                .forEach(unseen::add);
        List<String> seen = new ArrayList<>(List.of("README.md"));
        for (int i = 0; i < seen.size(); i++) {
            Page page = Page.of(seen.get(i));
            unseen.remove(seen.get(i));
            page.links().stream()
                    .filter(link -> !link.contains(":"))
                    .map(link -> resolve(page, link.replaceFirst("#.*", "")).toString())
                    .filter(unseen::contains)
                    .filter(file -> !seen.contains(file))
                    .forEach(seen::add);
        }
        assertTrue(unseen.isEmpty(), "Link these pages from the README, or from a page that it links: " + unseen);
    }

    @Test
    void pagesHavePictureOrExample() throws Exception {
        List<Path> withoutExample = Page.all().stream()
                .filter(page -> page.file().startsWith("docs"))
                .filter(page -> page.samples().isEmpty()
                        && !page.text().contains("![")
                        && !page.text().contains("<img"))
                .map(Page::file)
                .toList();
        assertEquals(List.of(), withoutExample, "Give these pages a picture or an example");
    }

    @Test
    void chartsHaveBothThemes() throws Exception {
        try (Stream<Path> images = Files.list(ROOT.resolve("docs/images"))) {
            for (Path image :
                    images.filter(file -> file.toString().endsWith(".svg")).toList()) {
                String chart = Files.readString(image);
                assertTrue(chart.contains("prefers-color-scheme: dark") && !chart.contains("'#fff'"), image.toString());
            }
        }
    }

    /** Each claim ends with the names of its tests in brackets, or is marked. */
    @Test
    void securityClaimsNameTheirTests() throws Exception {
        String page = Page.of("docs/security.md").text();
        Set<String> classes;
        try (Stream<Path> sources = Files.walk(ROOT.resolve("src/test/java"))) {
            classes = sources.map(source -> source.getFileName().toString().replace(".java", ""))
                    .collect(Collectors.toSet());
        }
        List<String> unknown = Pattern.compile("\\w+Test\\b")
                .matcher(page)
                .results()
                .map(MatchResult::group)
                .filter(name -> !classes.contains(name))
                .toList();
        assertEquals(List.of(), unknown, "Correct the names of these tests");
        List<String> untested = Pattern.compile("(?m)^- (.*(?:\n  .*)*)")
                .matcher(page)
                .results()
                .map(bullet -> bullet.group(1))
                .filter(bullet -> !bullet.endsWith("Test]") && !bullet.endsWith("*not tested*"))
                .toList();
        assertEquals(List.of(), untested, "Name the tests of these claims in brackets");
    }
}
