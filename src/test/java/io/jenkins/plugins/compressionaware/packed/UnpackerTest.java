package io.jenkins.plugins.compressionaware.packed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameEnvelope;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.packed.Packed;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

    /** Writes an archive without contents, and without an index, which {@link Unpacker} does not read, and returns its path. */
    private Path archive(TarArchiveEntry... entries) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            for (TarArchiveEntry entry : entries) {
                tar.putArchiveEntry(entry);
                tar.closeArchiveEntry();
            }
        }
        Path file = temp.resolve("1.tar.zst");
        try (FrameFileWriter frames = new FrameFileWriter(file, temp.resolve("partial"), 64 * 1024, Long.MAX_VALUE)) {
            append(frames, Frame.block(Codec.GZIP, 0, bytes.toByteArray()));
            append(frames, Frame.end(Codec.GZIP, 1));
            frames.finish();
            frames.commit();
        }
        return file;
    }

    private static void append(FrameFileWriter file, byte[] frame) throws IOException {
        file.append(FrameEnvelope.forFirstByte(frame[0]).read(frame), frame, frame.length);
    }

    @Test
    void gzipFrameIsUnpacked() throws Exception {
        assertEquals(1, Unpacker.unpack(List.of(archive("a/file")), temp.resolve("target")));
        assertTrue(Files.exists(temp.resolve("target/a/file")));
    }

    /** Commons Compress considers every entry with such a name a folder. */
    @Test
    void fileWhoseNameEndsWithASlashIsAFile() throws Exception {
        TarArchiveEntry file = new TarArchiveEntry("x/", TarArchiveEntry.LF_NORMAL);
        assertEquals(1, Unpacker.unpack(List.of(archive(file)), temp.resolve("target")));
        assertTrue(Files.isRegularFile(temp.resolve("target/x")));
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

    /** The packed file is deleted afterwards. */
    @Test
    void damagedBlockIsNoticed() throws Exception {
        Path tree = Files.createDirectories(temp.resolve("tree"));
        FileTrees.write(tree, "a", "content");
        Path archive = temp.resolve("archive");
        Packed.archive(tree, FileTrees.names(tree), archive, Codec.NONE);
        Path packed = archive.resolve("packed-artifacts/1.tar.zst");
        byte[] bytes = Files.readAllBytes(packed);
        int content = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("content");
        bytes[content]++;
        Files.write(packed, bytes);
        IOException damage = assertThrows(IOException.class, () -> Unpacker.replace(archive, null));
        assertTrue(damage.getMessage().startsWith("Cannot unpack " + packed.toRealPath() + ": "), damage.getMessage());
        assertTrue(Files.exists(packed));
    }
}
