package io.jenkins.plugins.compressionaware.engine.delta;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import io.jenkins.plugins.compressionaware.testing.Fuzz;
import io.jenkins.plugins.compressionaware.testing.History;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Whatever an agent has archived can be indexed, and made again of its pieces. Whatever the file of an index says, nothing beside its archive is read with it.
 */
class ChunkIndexFuzzTest extends Fuzz {
    /** First byte: the rest is the file of an index, whose checksum is made right. Otherwise it is a file of an archive. */
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
        byte[] tiny = History.jar(0, true, History.jar(0, true, new byte[10]), History.noise(3, 900));
        Files.write(file, outer);
        ChunkIndex.of(archive, DeltaRoundTrip.FACTS).write(index);
        byte[] honest = Files.readAllBytes(index);
        byte[] beside = new String(honest, StandardCharsets.ISO_8859_1)
                .replace("\0\4file", "\0\t../secret")
                .getBytes(StandardCharsets.ISO_8859_1);
        byte[] endless = honest.clone();
        Arrays.fill(endless, endless.length - 20, endless.length - 12, (byte) 0xff); // length of the last piece
        return List.of(
                flagged(0, inner),
                flagged(0, outer),
                flagged(0, tiny),
                flagged(INDEX, honest),
                flagged(INDEX, beside),
                flagged(INDEX, endless));
    }

    private static byte[] flagged(int flag, byte[] bytes) {
        return ByteBuffer.allocate(1 + bytes.length).put((byte) flag).put(bytes).array();
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
        ChunkIndex made = ChunkIndex.of(archive, DeltaRoundTrip.FACTS);
        made.write(index);
        try (ReferenceArchive earlier = ReferenceArchive.open(archive, index)) {
            assertNotNull(earlier);
            byte[] offer = earlier.index().signature(DeltaRoundTrip.SLOW);
            assertArrayEquals(made.signature(DeltaRoundTrip.SLOW), offer);
            EntryEncoder shortener = DeltaEncoder.of(offer);
            // there is none where others keep the machine so busy that hashing looks slow
            byte[] recipe = shortener == null ? null : DeltaRoundTrip.recipe(shortener, file);
            assertTrue(shortener == null || content.length < Chunker.MIN_CHUNK == (recipe == null));
            if (recipe != null) {
                assertTrue(recipe.length < 100, "it is known as a whole");
                assertArrayEquals(content, made(earlier, recipe));
            }
            for (int i = 0; i < made.pieces(); i++) {
                byte[] piece = Arrays.copyOfRange(content, (int) made.from(i), (int) (made.from(i) + made.length(i)));
                assertTrue(made.from(i) + made.length(i) <= content.length && piece.length >= Chunker.MIN_CHUNK);
                assertArrayEquals(piece, made(earlier, recipe(i, piece)));
            }
        }
    }

    private void readIndex(byte[] bytes) throws IOException {
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, bytes.length - 4);
        ByteBuffer.wrap(bytes).putInt(bytes.length - 4, (int) sum.getValue());
        Files.write(file, History.noise(3, 2_000));
        Files.write(index, bytes);
        try (ReferenceArchive earlier = ReferenceArchive.open(archive, index)) {
            if (earlier != null) {
                earlier.index().signature(DeltaRoundTrip.SLOW);
                for (int i = 0; i < Math.min(20, earlier.index().pieces()); i++) {
                    byte[] made = attempt(earlier, recipe(i, SECRET));
                    assertFalse(Arrays.equals(SECRET, made), "read beside the archive");
                }
            }
        }
    }

    private static byte[] attempt(ReferenceArchive earlier, byte[] recipe) {
        try {
            return made(earlier, recipe);
        } catch (IOException e) {
            return new byte[0];
        }
    }

    private static byte[] made(ReferenceArchive earlier, byte[] recipe) throws IOException {
        return earlier.decode(new ByteArrayInputStream(recipe)).readAllBytes();
    }

    /** That a file is one piece. */
    private static byte[] recipe(int piece, byte[] content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream recipe = new DataOutputStream(bytes);
        recipe.write(Delta.VERSION);
        Varint.write(recipe, content.length);
        Varint.write(recipe, 1 << 1 | 1);
        Varint.write(recipe, piece);
        recipe.write(ChunkHash.digest().digest(content));
        return bytes.toByteArray();
    }
}
