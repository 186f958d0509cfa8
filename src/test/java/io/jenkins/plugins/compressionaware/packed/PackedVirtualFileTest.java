package io.jenkins.plugins.compressionaware.packed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.packed.Packed;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;
import jenkins.util.VirtualFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
class PackedVirtualFileTest {
    @TempDir
    Path tmp;

    private VirtualFile root;

    @BeforeEach
    void pack() throws Exception {
        Path tree = tmp.resolve("tree");
        FileTrees.write(tree, "d/a.txt", "a");
        FileTrees.write(tree, "d/b\\c", "b");
        FileTrees.write(tree, "d/old~", "backup");
        Files.createSymbolicLink(tree.resolve("d/gone"), Path.of("nowhere"));
        Files.createSymbolicLink(tree.resolve("file"), Path.of("d/a.txt"));
        Files.createSymbolicLink(tree.resolve("folder"), Path.of("d/"));
        Files.createSymbolicLink(tree.resolve("out"), Path.of("../../secret"));
        Packed.archive(tree, tmp.resolve("archive"));
        root = PackedVirtualFile.rootOf(tmp.resolve("archive").toFile());
    }

    @Test
    void listsLinksLikeCore() throws Exception {
        assertEquals(
                Set.of("d/a.txt", "d/b\\c", "d/gone", "file", "folder/a.txt", "folder/b\\c", "folder/gone", "out"),
                new TreeSet<>(root.list("**", null, true, new LinkOption[0])));
        assertEquals(
                Set.of("d/a.txt", "d/b\\c", "d/old~"),
                new TreeSet<>(root.list("**", null, false, LinkOption.NOFOLLOW_LINKS)));
        assertEquals(
                Set.of("d/a.txt", "d/gone"), new TreeSet<>(root.list("d/, *.x", "**/b*", true, new LinkOption[0])));
    }

    @Test
    void followsLinksInside() throws Exception {
        assertTrue(root.child("folder").isDirectory());
        assertEquals("b", new String(root.child("folder/b\\c").open().readAllBytes(), StandardCharsets.UTF_8));
        assertEquals("nowhere", root.child("folder/gone").readLink());
        assertFalse(root.child("folder/gone").exists());
        assertFalse(root.child("out").exists());
    }

    @Test
    void zipLeavesOutLinksToNothing() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertEquals(5, root.zip(out, "**", null, true, "top"));
        ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(out.toByteArray()));
        assertEquals("top/d/a.txt", zip.getNextEntry().getName());
    }

    /** Text without compression stands for noise, which no level makes smaller. */
    @Test
    void zipDoesNotCompressWhatTheAgentDidNot() throws Exception {
        String text = "text".repeat(100_000);
        Path tree = tmp.resolve("texts");
        FileTrees.write(tree, "a", text);
        Packed.archive(tree, FileTrees.names(tree), tmp.resolve("both"), Codec.NONE);
        FileTrees.write(tree, "b", text);
        Files.delete(tree.resolve("a"));
        Packed.archive(tree, FileTrees.names(tree), tmp.resolve("both"), Codec.ZSTD);
        root = PackedVirtualFile.rootOf(tmp.resolve("both").toFile());
        Path zip = tmp.resolve("zip");
        try (OutputStream out = Files.newOutputStream(zip)) {
            assertEquals(2, root.zip(out, "**", null, true, ""));
        }
        try (ZipFile entries = new ZipFile(zip.toFile())) {
            assertTrue(entries.getEntry("a").getCompressedSize() > text.length());
            assertTrue(entries.getEntry("b").getCompressedSize() < text.length() / 20);
            for (String name : List.of("a", "b")) {
                InputStream in = entries.getInputStream(entries.getEntry(name));
                assertEquals(text, new String(in.readAllBytes(), StandardCharsets.UTF_8), name);
            }
        }
    }

    /** An agent may archive such links as plain files, beside a packed archive. */
    @Test
    void plainLinksLeadNowhereOutside() throws Exception {
        FileTrees.write(tmp, "secret/key", "secret");
        Files.createSymbolicLink(tmp.resolve("archive/absolute"), tmp.resolve("secret"));
        Files.createSymbolicLink(tmp.resolve("archive/relative"), Path.of("../secret"));
        Files.createSymbolicLink(tmp.resolve("archive/inside"), Path.of("d"));
        root = PackedVirtualFile.rootOf(tmp.resolve("archive").toFile());
        for (String path : Set.of("absolute/key", "relative/key", "../secret/key", "d/../../secret/key")) {
            assertFalse(root.child(path).exists(), path);
            assertThrows(FileNotFoundException.class, () -> root.child(path).open(), path);
        }
        assertEquals(0, root.child("absolute").list().length);
        assertTrue(root.child("inside/a.txt").isFile());
    }

    /** An agent may archive a link to the packed archive of another job, or to a pipe. */
    @Test
    void linkIsNoPackedArchive() throws Exception {
        Path link = tmp.resolve("other/packed-artifacts/1.tar.zst");
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, tmp.resolve("archive/packed-artifacts/1.tar.zst"));
        assertNull(PackedVirtualFile.rootOf(tmp.resolve("other").toFile()));
    }

    @Test
    void sixLinksAreTooMany() throws Exception {
        Path tree = Files.createDirectories(tmp.resolve("chain"));
        FileTrees.write(tree, "0", "end");
        for (int i = 1; i <= 6; i++) {
            Files.createSymbolicLink(tree.resolve(String.valueOf(i)), Path.of(String.valueOf(i - 1)));
        }
        Path archive = Files.createDirectories(tmp.resolve("links")).resolve("archive");
        Packed.archive(tree, archive);
        root = PackedVirtualFile.rootOf(archive.toFile());
        assertTrue(root.child("5").isFile());
        assertFalse(root.child("6").exists());
    }

    @Test
    void selectsPackedFilesButNoLinks() throws Exception {
        PackedVirtualFile packed = (PackedVirtualFile) root;
        assertEquals(
                List.of(List.of("d/a.txt", "d/b\\c")),
                packed.select("d/*", "**/old*, **/gone").values().stream()
                        .map(entries -> entries.stream().map(TarEntry::name).toList())
                        .toList());
        assertEquals(Map.of(), packed.select("none", null));
        assertNull(packed.select("file", null));
        assertNull(packed.select("folder/a.txt", null));
        assertNull(packed.select("d/gone", null));
    }
}
