package io.jenkins.plugins.compressionaware.engine.delta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import io.jenkins.plugins.compressionaware.engine.tar.TarPacker;
import io.jenkins.plugins.compressionaware.engine.tar.TarSink;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
import io.jenkins.plugins.compressionaware.engine.tar.WorkerResources;
import io.jenkins.plugins.compressionaware.testing.Alone;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** From a workspace to an archive, without what compresses and sends. */
final class DeltaRoundTrip {
    /** As of a slow link. */
    static final double SLOW = 1000;

    static final ArchiveStats FACTS = new ArchiveStats(1, 1 << 30, 1, SLOW, -1, 0);

    private DeltaRoundTrip() {}

    /** An archive of which there is an index beside it. */
    static ReferenceArchive opened(Path archive) throws IOException {
        Path index = archive.resolveSibling(archive.getFileName() + ".chunks");
        ChunkIndex.of(archive, FACTS).write(index);
        return ReferenceArchive.open(archive, index);
    }

    static byte[] pack(Path workspace, EntryEncoder shortener) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        TarSink sink = new TarSink() {
            @Override
            public void startEntry(String name, long size) {
                // nothing keeps entries apart here
            }

            @Override
            public void write(byte[] content, int offset, int length) {
                bytes.write(content, offset, length);
            }
        };
        try (TarPacker packer = new TarPacker(sink, Alone::refuse, shortener)) {
            packer.pack(workspace, FileTrees.names(workspace));
        }
        return bytes.toByteArray();
    }

    /** All parts of a file's recipe; null if it is sent as it is. */
    static byte[] recipe(EntryEncoder shortener, Path file) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        boolean shortened = shortener.encode(file, Files.size(file), part -> {
            long length = part.length() + bytes.size();
            part.writeTo(bytes);
            assertEquals(length, bytes.size());
        });
        assertTrue(shortened || bytes.size() == 0);
        return shortened ? bytes.toByteArray() : null;
    }

    /** @return names of the files that have to come again */
    static Set<String> unpack(byte[] tar, Path archive, Set<String> names, EntryDecoder earlier) throws IOException {
        Files.createDirectories(archive);
        TarUnpacker unpacker = new TarUnpacker(archive, names, WorkerResources.NONE, earlier);
        try {
            unpacker.unpack(new ByteArrayInputStream(tar));
            return unpacker.failedDeltas();
        } finally {
            unpacker.close(() -> {});
        }
    }
}
