package io.jenkins.plugins.compressionaware.engine.delta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** Transfers a workspace to an archive without compression and network. */
final class DeltaRoundTrip {
    /** Nanoseconds per wire byte of a slow link. */
    static final double SLOW = 1000;

    static final ArchiveStats STATS = new ArchiveStats(1, 1 << 30, 1, SLOW, -1, 0);

    private DeltaRoundTrip() {}

    /** Indexes an archive and opens it. */
    static ReferenceArchive opened(Path archive) throws IOException {
        Path index = archive.resolveSibling(archive.getFileName() + ".chunks");
        ChunkIndex.of(archive, STATS).write(index);
        return ReferenceArchive.open("agent", archive, index);
    }

    /** Returns an encoder for a slow link. */
    static EntryEncoder encoder(ReferenceArchive reference) throws IOException {
        return DeltaEncoder.of(reference.index().signature(SLOW));
    }

    /** Returns the bytes that this process has read. */
    static long bytesRead() throws IOException {
        return Long.parseLong(
                Files.readAllLines(Path.of("/proc/self/io")).get(0).substring("rchar: ".length()));
    }

    /** Returns all parts of a file's delta; null if the file is sent in full. */
    static byte[] delta(EntryEncoder encoder, Path file) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        boolean encoded = encoder.encode(file, Files.size(file), part -> {
            long length = part.length() + bytes.size();
            part.writeTo(bytes);
            assertEquals(length, bytes.size());
        });
        assertTrue(encoded || bytes.size() == 0);
        return encoded ? bytes.toByteArray() : null;
    }

    /** @return names of the files that must be resent */
    static Set<String> unpack(byte[] tar, Path archive, Set<String> names, EntryDecoder reference) throws IOException {
        Files.createDirectories(archive);
        TarUnpacker unpacker = new TarUnpacker(archive, names, DiskHelpers.NONE, reference);
        try {
            unpacker.unpack(new ByteArrayInputStream(tar));
            return unpacker.missing();
        } finally {
            unpacker.close(() -> {});
        }
    }
}
