package io.jenkins.plugins.compressionaware.tar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TarPackerTest {
    @TempDir
    private Path tmp;

    /** What can be broken off by an interrupt makes {@link Thread#interrupt} wait for the disk: {@link FrozenDiskTest}. */
    @Test
    void interruptBreaksNothingOff() throws IOException {
        Files.writeString(tmp.resolve("file"), "content");
        Thread.currentThread().interrupt();
        byte[] bytes = pack(tmp, Map.of("file", "file"));
        assertTrue(Thread.interrupted(), "it is for others to heed");
        try (TarArchiveInputStream tar = new TarArchiveInputStream(new ByteArrayInputStream(bytes))) {
            assertEquals("file", tar.getNextEntry().getName());
            assertEquals("content", new String(tar.readAllBytes()));
        }
    }

    static byte[] pack(Path base, Map<String, String> files) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        TarSink sink = new TarSink() {
            @Override
            public void startEntry(String name, long size) {}

            @Override
            public void write(byte[] source, int offset, int length) {
                bytes.write(source, offset, length);
            }
        };
        try (TarPacker packer = new TarPacker(sink)) {
            packer.pack(base, files);
        }
        return bytes.toByteArray();
    }
}
