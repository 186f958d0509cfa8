package io.jenkins.plugins.compressionaware.engine.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Fuzz;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;

/** Opening a modified sealed body yields only the chunks before the first change. */
class SealedBodyFuzzTest extends Fuzz {
    private static final int LENGTH = 3 * Seal.CHUNK + 100;

    private final Seal seal = new Seal(FileTrees.noise(Seal.KEY), 0);
    private final byte[] plain = FileTrees.noise(LENGTH);
    private byte[] sealed;

    @Override
    protected void prepare() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Seal.Sealing sealing = seal.sealing(1, "head", out);
        sealing.write(plain);
        sealing.finish();
        sealed = out.toByteArray();
    }

    @Override
    protected List<byte[]> seeds() {
        return List.of(sealed, Arrays.copyOf(sealed, 5000));
    }

    @Override
    protected void read(byte[] input) {
        ByteArrayOutputStream opened = new ByteArrayOutputStream();
        try (InputStream in = seal.opening(1, "head", new ByteArrayInputStream(input), LENGTH)) {
            in.transferTo(opened);
            assertArrayEquals(plain, opened.toByteArray());
        } catch (IOException e) {
            assertFalse(e.getMessage().isBlank());
            assertEquals(0, opened.size() % Seal.CHUNK);
            assertArrayEquals(Arrays.copyOf(plain, opened.size()), opened.toByteArray());
            int whole = Arrays.mismatch(input, sealed) / (Seal.CHUNK + 16);
            assertEquals(whole * Seal.CHUNK, opened.size());
        }
    }
}
