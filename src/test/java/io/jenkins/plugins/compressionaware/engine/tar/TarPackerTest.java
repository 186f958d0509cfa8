package io.jenkins.plugins.compressionaware.engine.tar;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.RecordedTar;
import io.jenkins.plugins.compressionaware.testing.RefusingExecutor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TarPackerTest {
    @TempDir
    private Path tmp;

    /** If an interrupt could abort the read, {@link Thread#interrupt} would wait for the disk, see {@link HungDiskInterruptTest}. */
    @Test
    void interruptedThreadStopsAfterCurrentFile() throws IOException {
        Files.writeString(tmp.resolve("file"), "content");
        Files.createDirectory(tmp.resolve("folder"));
        RecordedTar sink = new RecordedTar() {
            @Override
            public void startEntry(String name, long size) throws IOException {
                super.startEntry(name, size);
                Thread.currentThread().interrupt();
            }
        };
        try (TarPacker packer = new TarPacker(sink, RefusingExecutor::refuse, EntryEncoder.NONE)) {
            Map<String, String> files = Map.of("file", "file", "folder", "folder");
            assertThrows(InterruptedIOException.class, () -> packer.pack(tmp, files));
        }
        assertTrue(Thread.interrupted(), "the interrupt stays pending");
        try (TarArchiveInputStream tar = tar(sink.bytes.toByteArray())) {
            assertEquals("file", tar.getNextEntry().getName());
            assertEquals("content", new String(tar.readAllBytes()));
            assertNull(tar.getNextEntry());
        }
    }

    /** A time before 1970 does not fit into the field of a plain tar. */
    @Test
    void timeBefore1970IsPacked() throws IOException {
        FileTime time = FileTime.fromMillis(-86_400_000);
        Files.setLastModifiedTime(Files.createFile(tmp.resolve("file")), time);
        try (TarArchiveInputStream tar = tar(pack(tmp, Map.of("file", "file")))) {
            assertEquals(time, tar.getNextEntry().getLastModifiedTime());
        }
    }

    /** Only root can give a file to another user; for others, the test has a file of their own. */
    @Test
    void ownerIsNotPackedHoweverLargeItsId() throws IOException {
        Path file = Files.createFile(tmp.resolve("file"));
        if (file.getFileSystem().supportedFileAttributeViews().contains("unix")
                && Integer.valueOf(0).equals(Files.getAttribute(file, "unix:uid"))) {
            // does not fit into the seven octal digits of a tar header
            Files.setAttribute(file, "unix:uid", 1_234_567_890);
            Files.setAttribute(file, "unix:gid", 1_234_567_890);
        }
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new ByteArrayInputStream(pack(tmp, Map.of("file", "file"))))) {
            TarArchiveEntry entry = tar.getNextEntry();
            assertEquals(List.of(0L, 0L), List.of(entry.getLongUserId(), entry.getLongGroupId()));
            assertEquals(List.of("", ""), List.of(entry.getUserName(), entry.getGroupName()));
        }
    }

    @Test
    void entriesAreAnnouncedAndCounted() throws IOException {
        Files.writeString(tmp.resolve("file"), "content");
        Files.createDirectory(tmp.resolve("folder"));
        Files.createSymbolicLink(tmp.resolve("link"), Path.of("missing"));
        RecordedTar sink = new RecordedTar();
        TarPacker packer = new TarPacker(sink, RefusingExecutor::refuse, EntryEncoder.NONE);
        packer.pack(tmp, Map.of("c", "file", "b", "folder", "a", "link", "d", "file"));
        assertEquals(List.of("a 0", "b 0", "c 7", "d 7"), sink.announced);
        assertEquals(4, packer.entries());
        assertEquals(14, packer.contentBytes());
    }

    /** The library creates equal bytes for everything that fits into a plain header. */
    @Test
    void bytesEqualThoseOfCommonsCompress() throws IOException {
        Map<String, String> files = new TreeMap<>();
        for (int size : List.of(0, 1, 511, 512, 513, 300_000)) {
            Files.write(tmp.resolve("f" + size), new byte[size]);
            files.put("\u00e4 file of " + size, "f" + size);
        }
        files.put("//from the root", "f1");
        Files.createDirectory(tmp.resolve("folder"));
        files.put("folder", "folder");
        Files.createSymbolicLink(tmp.resolve("link"), Path.of("missing"));
        files.put("link", "link");
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(expected, 512, StandardCharsets.UTF_8.name())) {
            for (Map.Entry<String, String> file : files.entrySet()) {
                writeByLibrary(tar, file.getKey(), tmp.resolve(file.getValue()));
            }
        }
        assertArrayEquals(expected.toByteArray(), pack(tmp, files));
    }

    private static void writeByLibrary(TarArchiveOutputStream tar, String name, Path path) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        TarArchiveEntry entry = attributes.isSymbolicLink()
                ? new TarArchiveEntry(name, TarConstants.LF_SYMLINK)
                : new TarArchiveEntry(attributes.isDirectory() ? name + '/' : name);
        byte[] content = attributes.isRegularFile() ? Files.readAllBytes(path) : new byte[0];
        if (attributes.isSymbolicLink()) {
            entry.setLinkName(Files.readSymbolicLink(path).toString());
        } else {
            if (path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
                entry.setMode((Integer) Files.getAttribute(path, "unix:mode") & 0777);
            }
        }
        entry.setModTime(attributes.lastModifiedTime().toMillis() / 1000 * 1000);
        entry.setUserName(""); // the packer does not send the agent's user
        entry.setSize(content.length);
        tar.putArchiveEntry(entry);
        tar.write(content);
        tar.closeArchiveEntry();
    }

    /** Some names have a slash or an incomplete character where the header cuts them. */
    @Test
    void longNamesAndTargetsArePacked() throws IOException {
        Set<String> names = new TreeSet<>();
        for (int length : List.of(30, 33, 96, 99, 100, 255, 1_000)) {
            for (String unit : List.of("x", "/x", "x/", "\u65e5", "\ud83d\ude00")) {
                for (String start : List.of("a", "ab", "abc")) {
                    names.add(start + unit.repeat(length / unit.length()) + "z");
                }
            }
        }
        Files.writeString(tmp.resolve("file"), "content");
        Files.createDirectory(tmp.resolve("folder"));
        Path link = tmp.resolve("link");
        RecordedTar sink = new RecordedTar();
        try (TarPacker packer = new TarPacker(sink, RefusingExecutor::refuse, EntryEncoder.NONE)) {
            for (String name : names) {
                packer.pack(tmp, Map.of(name + "1", "file"));
                packer.pack(tmp, Map.of(name + "2", "folder"));
                Files.createSymbolicLink(link, Path.of(target(name)));
                packer.pack(tmp, Map.of(name + "3", "link"));
                Files.delete(link);
            }
        }
        try (TarArchiveInputStream tar = tar(sink.bytes.toByteArray())) {
            for (String name : names) {
                assertEquals(name + "1", tar.getNextEntry().getName());
                assertEquals("content", new String(tar.readAllBytes()));
                assertEquals(name + "2/", tar.getNextEntry().getName());
                TarArchiveEntry read = tar.getNextEntry();
                assertEquals(name + "3", read.getName());
                assertEquals(target(name), read.getLinkName());
            }
            assertNull(tar.getNextEntry());
        }
    }

    /** Replaces characters that some file systems do not support. */
    private static String target(String name) {
        return name.replaceAll("\\P{ASCII}+", "u");
    }

    static byte[] pack(Path base, Map<String, String> files) throws IOException {
        return RecordedTar.of(base, files, EntryEncoder.NONE);
    }

    static TarArchiveInputStream tar(byte[] bytes) throws IOException {
        return new TarArchiveInputStream(new ByteArrayInputStream(bytes), StandardCharsets.UTF_8.name());
    }
}
