package io.jenkins.plugins.compressionaware.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreesTest {
    @TempDir
    Path temp;

    @BeforeEach
    void twoEqualTrees() throws IOException {
        for (String name : List.of("source", "copy")) {
            Path root = Files.createDirectory(temp.resolve(name));
            Files.createDirectories(root.resolve("a/b"));
            Files.createDirectory(root.resolve("empty"));
            Files.writeString(root.resolve("a/b/file"), "content");
            Files.setLastModifiedTime(root.resolve("a/b/file"), FileTime.fromMillis(1_000_000_123));
            Files.createSymbolicLink(root.resolve("a/link"), Path.of("file"));
        }
    }

    private Optional<String> difference() throws IOException {
        return Trees.difference(temp.resolve("source"), temp.resolve("copy"), List.of("a/b/file", "a/link", "empty"));
    }

    private void assertDifference(String expected) throws IOException {
        String actual = difference().orElse("none");
        assertTrue(actual.matches(expected), actual);
    }

    @Test
    void equalTreesAreEqual() throws IOException {
        Files.setLastModifiedTime(temp.resolve("copy/a/b/file"), FileTime.fromMillis(1_000_000_000));
        assertEquals(Optional.empty(), difference());
    }

    @Test
    void whatDiffersIsNamed() throws IOException {
        Files.setLastModifiedTime(temp.resolve("copy/a/b/file"), FileTime.fromMillis(0));
        assertDifference("a/b/file was file .* and is file .*");
    }

    @Test
    void whatIsMissingIsNamed() throws IOException {
        Files.delete(temp.resolve("copy/empty"));
        assertDifference("empty was folder and is missing");
    }

    @Test
    void whatIsTooMuchIsNamed() throws IOException {
        Files.createDirectory(temp.resolve("copy/a/more"));
        assertDifference("a/more was not asked for");
    }
}
