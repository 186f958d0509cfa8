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

/** A delta yields the file that docs/formats.md defines, or is rejected. */
class DeltaFuzzTest extends Fuzz {
    /** Flag in the first byte: the hash is that of the file that the delta yields. */
    private static final int HASH_FIXED = 1;

    private Path archive;
    private final List<byte[]> chunks = new ArrayList<>();

    @Override
    protected void prepare() throws Exception {
        archive = Files.createDirectory(tmp.resolve("archive"));
        Files.write(archive.resolve("a"), History.noise(1, 600));
        Files.write(archive.resolve("b"), "line\n".repeat(8_000).getBytes());
        try (ReferenceArchive reference = DeltaRoundTrip.opened(archive)) {
            ChunkIndex index = reference.index();
            for (int i = 0; i < index.chunkCount(); i++) {
                byte[] file = Files.readAllBytes(archive.resolve(index.fileOf(i)));
                int from = (int) index.from(i);
                chunks.add(Arrays.copyOfRange(file, from, from + (int) index.length(i)));
            }
        }
    }

    @Override
    protected List<byte[]> seeds() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream delta = new DataOutputStream(bytes);
        delta.write(HASH_FIXED);
        Varint.write(delta, 7 + chunks.get(0).length + chunks.get(1).length);
        for (int number : new int[] {3 << 1, 'a' | 'b' << 8 | 'c' << 16, 2 << 1 | 1, 0, 4 << 1, 'd'}) {
            do {
                delta.write(number);
                number >>>= 8;
            } while (number > 0);
        }
        delta.writeBytes("efg");
        delta.write(new byte[ChunkHash.LENGTH]);
        return List.of(bytes.toByteArray());
    }

    @Override
    protected void read(byte[] input) throws Exception {
        if (input.length < 1) {
            return;
        }
        byte[] delta = Arrays.copyOfRange(input, 1, input.length);
        byte[] expected = decode(delta);
        if ((input[0] & HASH_FIXED) == 0) {
            expected = null;
        } else if (expected != null) {
            int hash = delta.length - ChunkHash.LENGTH;
            System.arraycopy(ChunkHash.digest().digest(expected), 0, delta, hash, ChunkHash.LENGTH);
        }
        byte[] decoded;
        try (ReferenceArchive reference = ReferenceArchive.open("agent", archive, tmp.resolve("archive.chunks"))) {
            assertNotNull(reference);
            decoded = reference.decode(new ByteArrayInputStream(delta)).readAllBytes();
        } catch (IOException e) {
            assertNull(expected, "a valid delta was rejected: " + e);
            return;
        }
        assertArrayEquals(expected, decoded);
    }

    /** Returns the file that a delta yields; null if the delta is invalid. */
    private byte[] decode(byte[] delta) {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(delta));
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try {
            long size = number(in);
            if (size == 0 || size > 1 << 20) {
                return null;
            }
            while (file.size() < size) {
                long instruction = number(in);
                if ((instruction & 1) == 0) {
                    byte[] bytes = new byte[Math.toIntExact(Math.min(instruction / 2, 1 << 20))];
                    in.readFully(bytes);
                    file.writeBytes(bytes);
                    if (instruction == 0) {
                        return null;
                    }
                } else {
                    long first = number(in);
                    if (instruction == 1 || first + instruction / 2 > chunks.size() || first + instruction / 2 < 0) {
                        return null;
                    }
                    chunks.subList((int) first, (int) (first + instruction / 2)).forEach(file::writeBytes);
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
