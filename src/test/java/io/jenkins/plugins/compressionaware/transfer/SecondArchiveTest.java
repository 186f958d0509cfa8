package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import io.jenkins.plugins.compressionaware.testkit.Loopback;
import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A second step of a build archives into the same folder. */
@Timeout(60)
class SecondArchiveTest {
    private static final SendOptions OPTIONS = new SendOptions(Codec.NONE, 0);

    @TempDir
    Path tmp;

    private Path first;
    private Path second;
    private Path archive;

    @BeforeEach
    void prepare() throws Exception {
        first = Files.createDirectory(tmp.resolve("first"));
        second = Files.createDirectory(tmp.resolve("second"));
        archive = tmp.resolve("archive");
        write(first, "same/replaced", "one");
        write(first, "same/kept", "one");
        write(first, "kept/file", "one");
        Files.createSymbolicLink(first.resolve("link"), Path.of("kept/file"));
    }

    @Test
    void keepsWhatItDoesNotReplace() throws Exception {
        write(second, "same/replaced", "two");
        write(second, "same/deep/new", "two");
        Files.createSymbolicLink(second.resolve("link"), Path.of("same/replaced"));
        archive(first);
        archive(second);
        Map<String, String> expected = new TreeMap<>(Trees.describe(first));
        expected.putAll(Trees.describe(second));
        assertEquals(expected, Trees.describe(archive));
    }

    @Test
    void sameAgainChangesNothing() throws Exception {
        archive(first);
        archive(first);
        assertEquals(Trees.describe(first), Trees.describe(archive));
    }

    @Test
    void fileAndLinkReplaceEachOther() throws Exception {
        write(second, "link", "now a file");
        Files.createDirectory(second.resolve("same"));
        Files.createSymbolicLink(second.resolve("same/replaced"), Path.of("/nowhere"));
        archive(first);
        archive(second);
        assertEquals("now a file", Files.readString(archive.resolve("link")));
        assertEquals("one", Files.readString(archive.resolve("kept/file")), "the link's target is as it was");
        assertEquals(Path.of("/nowhere"), Files.readSymbolicLink(archive.resolve("same/replaced")));
    }

    @Test
    void otherNamesInTheArchiveThanInTheWorkspace() throws Exception {
        Loopback.with(OPTIONS).archive(first, Map.of("a/b/c", "kept/file", "d", "same/kept"), archive);
        assertEquals("one", Files.readString(archive.resolve("a/b/c")));
        assertEquals("one", Files.readString(archive.resolve("d")));
        assertFalse(Files.exists(archive.resolve("kept")));
    }

    @Test
    void nothingToArchive() throws Exception {
        archive(first);
        Map<String, String> before = Trees.describe(archive);
        Loopback.Result result = Loopback.with(OPTIONS).archive(second, Map.of(), archive);
        assertEquals(0, result.received().entries());
        assertEquals(before, Trees.describe(archive));
    }

    @Test
    void fileWhereTheArchiveHasAFolder() throws Exception {
        write(second, "same", "two");
        write(second, "new", "two");
        assertRefused("same is a folder in the place of a file");
    }

    @Test
    void folderWhereTheArchiveHasAFile() throws Exception {
        write(second, "kept/file/below", "two");
        write(second, "new", "two");
        assertRefused("kept/file is a file in the place of a folder");
    }

    private void assertRefused(String reason) throws Exception {
        archive(first);
        Map<String, String> before = Trees.describe(archive);
        IOException refused = assertThrows(IOException.class, () -> archive(second));
        assertEquals("Cannot archive into " + archive.toRealPath() + ": " + reason, refused.getMessage());
        assertEquals(before, Trees.describe(archive));
        try (var left = Files.list(tmp)) {
            assertTrue(left.allMatch(p -> p.equals(first) || p.equals(second) || p.equals(archive)), "no litter");
        }
    }

    private void archive(Path workspace) throws Exception {
        Loopback.with(OPTIONS).archive(workspace, Trees.names(workspace), archive);
    }

    private static void write(Path workspace, String name, String content) throws IOException {
        Path file = workspace.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }
}
