package io.jenkins.plugins.compressionaware.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeComparisonTest {
    private static final List<String> NAMES = List.of("a/file", "a/link", "empty");

    @TempDir
    Path temp;

    private Path archived;

    @BeforeEach
    void twoEqualTrees() throws IOException {
        make("source");
        archived = make("archive").resolve("a/file");
    }

    private Path make(String name) throws IOException {
        Path root = temp.resolve(name);
        Files.createDirectories(root.resolve("a"));
        Files.createDirectories(root.resolve("empty"));
        Files.writeString(root.resolve("a/file"), "content");
        Files.setPosixFilePermissions(root.resolve("a/file"), PosixFilePermissions.fromString("rw-r-----"));
        Files.setLastModifiedTime(root.resolve("a/file"), FileTime.fromMillis(1_000_000_123));
        Files.createSymbolicLink(root.resolve("a/link"), Path.of("file"));
        return root;
    }

    private Optional<String> difference() throws IOException {
        return new TreeComparison(temp.resolve("source"), temp.resolve("archive")).firstDifference(NAMES);
    }

    private void assertDifference(String expected) throws IOException {
        String actual = difference().orElse("none");
        assertTrue(actual.startsWith(expected), actual);
    }

    @Test
    void equalTreesAreEqual() throws IOException {
        Files.setLastModifiedTime(archived, FileTime.fromMillis(1_000_000_000));
        assertEquals(Optional.empty(), difference());
    }

    @Test
    void theListingNamesFilesLinksAndEmptyFolders() throws IOException {
        assertEquals(NAMES, Listing.of(temp.resolve("source")).names().stream().sorted().toList());
    }

    @Test
    void aChangedByteIsFound() throws IOException {
        FileTime time = Files.getLastModifiedTime(archived);
        Files.writeString(archived, "conTent");
        Files.setLastModifiedTime(archived, time);
        assertDifference("a/file: contents differ from byte 3");
    }

    @Test
    void anotherSizeIsFound() throws IOException {
        Files.writeString(archived, "contents");
        assertDifference("a/file: size was 7 and is 8");
    }

    @Test
    void anotherTimeIsFound() throws IOException {
        Files.setLastModifiedTime(archived, FileTime.fromMillis(1_000_001_123));
        assertDifference("a/file: modification second was 1000000 and is 1000001");
    }

    @Test
    void anotherModeIsFound() throws IOException {
        Files.setPosixFilePermissions(archived, PosixFilePermissions.fromString("rwxr-----"));
        assertDifference("a/file: mode was rw-r----- and is rwxr-----");
    }

    @Test
    void anotherLinkIsFound() throws IOException {
        Path link = archived.resolveSibling("link");
        Files.delete(link);
        Files.createSymbolicLink(link, Path.of("elsewhere"));
        assertDifference("a/link: target was file and is elsewhere");
    }

    @Test
    void aFileInPlaceOfALinkIsFound() throws IOException {
        Path link = archived.resolveSibling("link");
        Files.delete(link);
        Files.writeString(link, "content");
        assertDifference("a/link: kind was link and is file");
    }

    @Test
    void whatIsMissingIsFound() throws IOException {
        Files.delete(temp.resolve("archive/empty"));
        assertDifference("empty: is missing");
    }

    @Test
    void whatIsTooManyIsFound() throws IOException {
        Files.createFile(temp.resolve("archive/more"));
        assertDifference("more: was not asked for");
    }
}
