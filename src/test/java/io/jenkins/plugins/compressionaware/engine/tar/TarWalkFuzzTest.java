package io.jenkins.plugins.compressionaware.engine.tar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.Fuzz;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Timeout;

/** The walk over a fuzzed tar lists entries inside the archive, each of which can be opened where the walk found it, or refuses the tar. */
@Timeout(60)
class TarWalkFuzzTest extends Fuzz {
    /** Flag in the first byte of an input: checksums are corrected. */
    private static final int FIX_CHECKSUMS = 1;

    private static final int ENTRIES = 20;

    @Override
    protected List<byte[]> seeds() {
        TarBytes honest = new TarBytes()
                .file("a", "x".repeat(700))
                .file("d/b", "y")
                .link("l", "d/b")
                .folder("e")
                .file("n".repeat(120), "z");
        TarBytes extended = new TarBytes()
                .extended('x', TarBytes.pax("path", "long/" + "p".repeat(120)) + TarBytes.pax("size", "3"))
                .file("a", "abc")
                .link("l", "t".repeat(200));
        TarBytes strange = new TarBytes()
                .special((byte) '1', "h", "a")
                .file("./d//b", "x")
                .header('0', "big", "\200\0\0\0\0\0\0\0\0\0\2\0")
                .raw(new byte[1024])
                .file("hidden", "x");
        return List.of(
                flagged(FIX_CHECKSUMS, honest.end().bytes()),
                flagged(FIX_CHECKSUMS, extended.end().bytes()),
                flagged(FIX_CHECKSUMS, strange.end().bytes()),
                flagged(0, honest.bytes()));
    }

    @Override
    protected void read(byte[] input) throws Exception {
        if (input.length == 0) {
            return;
        }
        byte[] tar = Arrays.copyOfRange(input, 1, input.length);
        if ((input[0] & FIX_CHECKSUMS) != 0) {
            TarBytes.fixChecksums(tar);
        }
        List<TarEntry> entries = new ArrayList<>();
        boolean complete = false;
        try {
            TarWalker.walk(new ByteArrayInputStream(tar), ENTRIES, entries::add);
            complete = true;
        } catch (IOException e) {
            assertFalse(e.getMessage() == null || e.getMessage().isBlank());
        }
        for (TarEntry entry : complete ? entries : entries.subList(0, Math.max(0, entries.size() - 1))) {
            Path name = Path.of(entry.name());
            assertTrue(!name.isAbsolute() && !name.startsWith("..") && name.equals(name.normalize()), entry.name());
            int at = Math.toIntExact(entry.position());
            try (InputStream in = TarWalker.open(new ByteArrayInputStream(tar, at, tar.length - at), entry)) {
                assertEquals(entry.size(), in.readAllBytes().length, entry.name());
            }
        }
    }
}
