package io.jenkins.plugins.compressionaware.tar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** By what archives of the same bytes are known again. */
class DigestTest {
    @TempDir
    private Path tmp;

    private final TarBytes usual = new TarBytes().file("a", "one").file("b", "two");

    @Test
    void timesAndOrderDoNotCount() throws IOException {
        TarArchiveEntry later = new TarArchiveEntry("a", true);
        later.setModTime(1_234_567_890_000L);
        later.setMode(0100755);
        assertEquals(digest(usual), digest(new TarBytes().file("b", "two").entry(later, "one")));
    }

    @Test
    void contentsAndNamesCount() throws IOException {
        assertNotEquals(digest(usual), digest(new TarBytes().file("a", "one").file("b", "too")));
        assertNotEquals(digest(usual), digest(new TarBytes().file("a", "one").file("c", "two")));
        assertNotEquals(digest(usual), digest(new TarBytes().file("a", "two").file("b", "one")), "swapped");
        assertNotEquals(digest(usual), digest(new TarBytes().file("a", "one")));
        assertNotEquals(
                digest(usual),
                digest(new TarBytes().file("a", "one").file("b", "two").file("c", "")));
    }

    /** The first 8 KiB of each 128, however much is read at a time. */
    @Test
    void ofALargeFileASixteenthCounts() throws IOException {
        String content = "x".repeat(300_000);
        long whole = digest(new TarBytes().file("a", content));
        for (int place : new int[] {0, 8_191, 131_072, 131_072 + 8_191, 262_144}) {
            assertNotEquals(whole, digest(changed(content, place)), "changed at " + place);
        }
        for (int place : new int[] {8_192, 131_071, 131_072 + 8_192}) {
            assertEquals(whole, digest(changed(content, place)), "changed at " + place);
        }
        Random random = new Random(1);
        InputStream pieces =
                new ByteArrayInputStream(new TarBytes().file("a", content).end().bytes()) {
                    @Override
                    public synchronized int read(byte[] target, int offset, int length) {
                        return super.read(target, offset, Math.min(length, 1 + random.nextInt(20_000)));
                    }
                };
        assertEquals(whole, digest(pieces));
    }

    private static TarBytes changed(String content, int place) {
        return new TarBytes().file("a", content.substring(0, place) + "y" + content.substring(place + 1));
    }

    private long digest(TarBytes tar) throws IOException {
        return digest(new ByteArrayInputStream(tar.end().bytes()));
    }

    private long digest(InputStream tar) throws IOException {
        TarUnpacker unpacker = new TarUnpacker(Files.createTempDirectory(tmp, "folder"));
        unpacker.unpack(tar);
        return unpacker.digest();
    }
}
