package io.jenkins.plugins.compressionaware.documentation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Links between pages, and from pages to files. Nothing is asked of the network. */
class LinksTest {
    private static final Path ROOT = Page.root();

    @Test
    void everyLinkLeadsSomewhere() throws Exception {
        List<String> broken = new ArrayList<>();
        for (Page page : Page.all()) {
            for (String link : page.links()) {
                String problem = problem(page, link);
                if (problem != null) {
                    broken.add(page.file() + ": (" + link + ") " + problem);
                }
            }
        }
        assertEquals(List.of(), broken, "Correct these links, or the names of what they lead to");
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

    /** Whoever begins with the README finds everything. */
    @Test
    void everyPageIsLinkedFromThere() throws Exception {
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
    void everyPageShowsSomething() throws Exception {
        List<Path> bare = Page.all().stream()
                .filter(page -> page.file().startsWith("docs"))
                .filter(page -> page.samples().isEmpty()
                        && !page.text().contains("![")
                        && !page.text().contains("<img"))
                .map(Page::file)
                .toList();
        assertEquals(List.of(), bare, "Give these pages a picture or an example");
    }
}
