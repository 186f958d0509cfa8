package io.jenkins.plugins.compressionaware.engine.delta;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import io.jenkins.plugins.compressionaware.testing.Fuzz;
import io.jenkins.plugins.compressionaware.testing.History;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/** Each archive can be indexed and rebuilt from its chunks, and no index makes the controller read outside its archive. */
class ChunkIndexFuzzTest extends Fuzz {
    /** First byte before an index file, whose checksum is then corrected. After other first bytes, the rest is a file of an archive. */
    private static final int INDEX = 1;

    private static final byte[] SECRET = History.noise(5, 700);

    private Path archive;
    private Path file;
    private Path index;

    @Override
    protected void prepare() throws Exception {
        archive = Files.createDirectory(tmp.resolve("archive"));
        file = archive.resolve("file");
        index = tmp.resolve("archive.chunks");
        Files.write(tmp.resolve("secret"), SECRET);
    }

    @Override
    protected List<byte[]> seeds() throws Exception {
        byte[] inner = History.jar(
                0, false, History.noise(1, 600), "text\n".repeat(300).getBytes());
        byte[] outer = History.jar(0, true, inner, History.noise(2, 800));
        // a chunk below the minimum would make the whole index unreadable
        byte[] tiny = History.jar(0, true, History.jar(0, true, new byte[10]), History.noise(3, 900));
        Files.write(file, outer);
        ChunkIndex.of(archive, DeltaRoundTrip.STATS).write(index);
        byte[] honest = Files.readAllBytes(index);
        byte[] beside = new String(honest, StandardCharsets.ISO_8859_1)
                .replace("\0\4file", "\0\t../secret")
                .getBytes(StandardCharsets.ISO_8859_1);
        byte[] endless = honest.clone();
        Arrays.fill(endless, endless.length - 20, endless.length - 12, (byte) 0xff); // length of the last chunk
        return List.of(
                flagged(0, inner),
                flagged(0, outer),
                flagged(0, tiny),
                flagged(INDEX, honest),
                flagged(INDEX, beside),
                flagged(INDEX, endless));
    }

    @Override
    protected void read(byte[] input) throws Exception {
        if (input.length < 5) {
            return;
        }
        byte[] bytes = Arrays.copyOfRange(input, 1, input.length);
        if (input[0] == INDEX) {
            readIndex(bytes);
        } else {
            indexFile(bytes);
        }
    }

    private void indexFile(byte[] content) throws IOException {
        Files.write(file, content);
        ChunkIndex indexed = ChunkIndex.of(archive, DeltaRoundTrip.STATS);
        indexed.write(index);
        try (ReferenceArchive reference = ReferenceArchive.open("agent", archive, index)) {
            assertNotNull(reference);
            byte[] signature = reference.index().signature(DeltaRoundTrip.SLOW);
            assertArrayEquals(indexed.signature(DeltaRoundTrip.SLOW), signature);
            EntryEncoder encoder = DeltaEncoder.of(signature);
            // there is none if hashing looks slow because the machine is busy
            byte[] delta = encoder == null ? null : DeltaRoundTrip.delta(encoder, file);
            assertTrue(encoder == null || content.length < Chunker.MIN_CHUNK == (delta == null));
            if (delta != null) {
                assertTrue(delta.length < 100, "known as one chunk");
                assertArrayEquals(content, decode(reference, delta));
            }
            for (int i = 0; i < indexed.chunkCount(); i++) {
                byte[] chunk =
                        Arrays.copyOfRange(content, (int) indexed.from(i), (int) (indexed.from(i) + indexed.length(i)));
                assertTrue(indexed.from(i) + indexed.length(i) <= content.length && chunk.length >= Chunker.MIN_CHUNK);
                assertArrayEquals(chunk, decode(reference, delta(i, chunk)));
            }
        }
    }

    private void readIndex(byte[] bytes) throws IOException {
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, bytes.length - 4);
        ByteBuffer.wrap(bytes).putInt(bytes.length - 4, (int) sum.getValue());
        Files.write(file, History.noise(3, 2_000));
        Files.write(index, bytes);
        try (ReferenceArchive reference = ReferenceArchive.open("agent", archive, index)) {
            if (reference != null) {
                reference.index().signature(DeltaRoundTrip.SLOW);
                for (int i = 0; i < Math.min(20, reference.index().chunkCount()); i++) {
                    byte[] decoded = tryDecode(reference, delta(i, SECRET));
                    assertFalse(Arrays.equals(SECRET, decoded), "read outside the archive");
                }
            }
        }
    }

    private static byte[] tryDecode(ReferenceArchive reference, byte[] delta) {
        try {
            return decode(reference, delta);
        } catch (IOException e) {
            return new byte[0];
        }
    }

    private static byte[] decode(ReferenceArchive reference, byte[] delta) throws IOException {
        return reference.decode(new ByteArrayInputStream(delta)).readAllBytes();
    }

    /** Returns a delta for a file that is one chunk. */
    private static byte[] delta(int chunk, byte[] content) throws IOException {
        return new DeltaBuilder(content.length, ChunkHash.digest().digest(content))
                .chunks(chunk, 1)
                .get();
    }
}
