package io.jenkins.plugins.compressionaware.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.apache.tools.ant.BuildException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileFinderTest {
    @TempDir
    private Path tmp;

    private File folder;

    @BeforeEach
    void create() throws IOException {
        for (String name : Set.of("a/1.js", "a/2.js", "a/b/3.js", "a/b/4.txt", "c/5.js", "c/.git/6.js")) {
            Path file = tmp.resolve(name);
            Files.createDirectories(file.getParent());
            Files.createFile(file);
        }
        folder = tmp.toFile();
    }

    @Test
    void findsFilesThatMatchAllPatterns() throws IOException {
        Files.createSymbolicLink(tmp.resolve("link.js"), Path.of("nowhere"));
        FileFinder finder = new FileFinder(5);
        Set<String> expected = Set.of("a/1.js", "a/2.js", "c/5.js", "c/.git/6.js", "link.js");
        assertEquals(expected, finder.find(folder, "**/*.js, *.none", "a/b/**", false));
        assertEquals(5, finder.files());
        assertEquals(Set.of("c/5.js"), new FileFinder(5).find(folder, "c/", null, true));
    }

    /** The first call for a stash searches in vain if there are many files, and the engine then searches again. */
    @Test
    void searchGivesUpAtFirstFileTooMany() {
        FileFinder finder = new FileFinder(2);
        assertNull(finder.find(folder, "**/*.js", null, true));
        assertEquals(3, finder.files());
    }

    @Test
    void missingFolderHasNoFiles() {
        assertEquals(Set.of(), new FileFinder(0).find(new File(folder, "missing"), "**", null, true));
    }

    @Test
    void otherFailuresOfTheSearchAreThrown() {
        assertThrows(BuildException.class, () -> new FileFinder(9).find(new File(folder, "a/1.js"), "**", null, true));
    }
}
