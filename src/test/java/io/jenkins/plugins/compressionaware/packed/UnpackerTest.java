package io.jenkins.plugins.compressionaware.packed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import org.junit.jupiter.api.io.TempDir;

class UnpackerTest {
    @TempDir
    Path temp;

    /** Writes an archive with one empty file and without an index, which {@link Unpacker} does not read, and returns its path. */
    private Path archive(String name) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(new GZIPOutputStream(frame))) {
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            tar.putArchiveEntry(new TarArchiveEntry(name));
            tar.closeArchiveEntry();
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
}
