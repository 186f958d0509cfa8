package io.jenkins.plugins.compressionaware.engine.delta;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.jenkins.plugins.compressionaware.testing.Fuzz;
import io.jenkins.plugins.compressionaware.testing.History;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A recipe makes what formats.md says, or nothing. */
class RecipesFuzzTest extends Fuzz {
    /** In the first byte: the hash is that of what the recipe makes. */
    private static final int MENDED = 1;

    private Path archive;
    private final List<byte[]> pieces = new ArrayList<>();

    @Override
    protected void prepare() throws Exception {
        archive = Files.createDirectory(tmp.resolve("archive"));
        Files.write(archive.resolve("a"), History.noise(1, 600));
        Files.write(archive.resolve("b"), "line\n".repeat(8_000).getBytes());
        try (ReferenceArchive earlier = DeltaRoundTrip.opened(archive)) {
            ChunkIndex index = earlier.index();
            for (int i = 0; i < index.pieces(); i++) {
                byte[] file = Files.readAllBytes(archive.resolve(index.fileOf(i)));
                int from = (int) index.from(i);
                pieces.add(Arrays.copyOfRange(file, from, from + (int) index.length(i)));
            }
        }
    }

    @Override
    protected List<byte[]> seeds() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream recipe = new DataOutputStream(bytes);
        recipe.write(MENDED);
        recipe.write(Delta.VERSION);
        Varint.write(recipe, 7 + pieces.get(0).length + pieces.get(1).length);
        for (int number : new int[] {3 << 1, 'a' | 'b' << 8 | 'c' << 16, 2 << 1 | 1, 0, 4 << 1, 'd'}) {
            do {
                recipe.write(number);
                number >>>= 8;
            } while (number > 0);
        }
        recipe.writeBytes("efg");
        recipe.write(new byte[ChunkHash.LENGTH]);
        return List.of(bytes.toByteArray());
    }

    @Override
    protected void read(byte[] input) throws Exception {
        if (input.length < 1) {
            return;
        }
        byte[] recipe = Arrays.copyOfRange(input, 1, input.length);
        byte[] wanted = made(recipe);
        if ((input[0] & MENDED) == 0) {
            wanted = null;
        } else if (wanted != null) {
            int hash = recipe.length - ChunkHash.LENGTH;
            System.arraycopy(ChunkHash.digest().digest(wanted), 0, recipe, hash, ChunkHash.LENGTH);
        }
        byte[] is;
        try (ReferenceArchive earlier = ReferenceArchive.open(archive, tmp.resolve("archive.chunks"))) {
            assertNotNull(earlier);
            is = earlier.decode(new ByteArrayInputStream(recipe)).readAllBytes();
        } catch (IOException e) {
            assertNull(wanted, "it was a good one: " + e);
            return;
        }
        assertArrayEquals(wanted, is);
    }

    /** Null if it is no recipe. */
    private byte[] made(byte[] recipe) {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(recipe));
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try {
            if (in.readByte() != Delta.VERSION) {
                return null;
            }
            long size = number(in);
            if (size == 0 || size > 1 << 20) {
                return null;
            }
            while (file.size() < size) {
                long run = number(in);
                if ((run & 1) == 0) {
                    byte[] bytes = new byte[Math.toIntExact(Math.min(run / 2, 1 << 20))];
                    in.readFully(bytes);
                    file.writeBytes(bytes);
                    if (run == 0) {
                        return null;
                    }
                } else {
                    long first = number(in);
                    if (run == 1 || first + run / 2 > pieces.size() || first + run / 2 < 0) {
                        return null;
                    }
                    pieces.subList((int) first, (int) (first + run / 2)).forEach(file::writeBytes);
                }
            }
            return file.size() == size && in.available() == ChunkHash.LENGTH ? file.toByteArray() : null;
        } catch (IOException e) {
            return null;
        }
    }

    private static long number(DataInputStream in) throws IOException {
        long number = 0;
        for (int i = 0; i < 9; i++) {
            int next = in.readUnsignedByte();
            number |= (next & 0x7fL) << 7 * i;
            if (next < 0x80) {
                return number;
            }
        }
        throw new IOException("no number");
    }
}
