package io.jenkins.plugins.compressionaware.packed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.packed.Packed;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UnpackerTest {
    @TempDir
    Path temp;

    private Path archive(String name) throws IOException {
        return archive(new TarArchiveEntry(name));
    }

    private static TarArchiveEntry link(String name, Path target) {
        TarArchiveEntry link = new TarArchiveEntry(name, TarArchiveEntry.LF_SYMLINK);
        link.setLinkName(target.toString());
        return link;
    }

    /** Writes an archive without contents and without an index, which {@link Unpacker} does not read, and returns its path. */
    private Path archive(TarArchiveEntry... entries) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(new GZIPOutputStream(frame))) {
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            for (TarArchiveEntry entry : entries) {
                tar.putArchiveEntry(entry);
                tar.closeArchiveEntry();
            }
        }
        ByteBuffer table = ByteBuffer.allocate(25).order(ByteOrder.LITTLE_ENDIAN);
        table.putInt(0x184D2A5E)
                .putInt(17)
                .putInt(frame.size())
                .putInt(1)
                .putInt(1)
                .put((byte) 0)
                .putInt(0x8F92EAB1);
        frame.write(table.array());
        return Files.write(temp.resolve("1.tar.zst"), frame.toByteArray());
    }

    @Test
    void gzipFrameIsUnpacked() throws Exception {
        assertEquals(1, Unpacker.unpack(List.of(archive("a/file")), temp.resolve("target")));
        assertTrue(Files.exists(temp.resolve("target/a/file")));
    }

    /** The command would end without a line, and leave the other builds packed. */
    @Test
    void impossibleNameIsOneReason() throws Exception {
        Path file = archive("n".repeat(101) + '\0');
        IOException refused =
                assertThrows(IOException.class, () -> Unpacker.unpack(List.of(file), temp.resolve("target")));
        assertTrue(refused.getMessage().startsWith("Cannot unpack " + file + ": "), refused.getMessage());
    }

    /** The file {@code a} makes place for the second link. */
    @ParameterizedTest
    @ValueSource(strings = {"a/x", "a/b/x"})
    @DisabledOnOs(OS.WINDOWS)
    void linkBelowALinkIsRefused(String name) throws Exception {
        Path outside = Files.createDirectories(temp.resolve("outside"));
        Path forged = archive(link(name, temp), new TarArchiveEntry("a"), link("a", outside));
        assertThrows(IOException.class, () -> Unpacker.unpack(List.of(forged), temp.resolve("target")));
        assertEquals(List.of(), FileTrees.list(outside));
    }

    /** An agent can archive a link, and plain files below its name. */
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void fileBehindALinkStays() throws Exception {
        FileTrees.write(temp, "outside/key", "secret");
        Path tree = Files.createDirectories(temp.resolve("tree"));
        Files.createSymbolicLink(tree.resolve("a"), temp.resolve("outside"));
        Path archive = temp.resolve("archive");
        Packed.archive(tree, archive);
        FileTrees.write(archive, "a/key", "plain");
        Unpacker.replace(archive, null);
        assertEquals("secret", Files.readString(temp.resolve("outside/key")));
        assertEquals("plain", Files.readString(archive.resolve("a/key")));
    }
}
