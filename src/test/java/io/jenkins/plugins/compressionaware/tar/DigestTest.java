package io.jenkins.plugins.compressionaware.tar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    private long digest(TarBytes tar) throws IOException {
        TarUnpacker unpacker = new TarUnpacker(Files.createTempDirectory(tmp, "folder"));
        unpacker.unpack(new ByteArrayInputStream(tar.end().bytes()));
        return unpacker.digest();
    }
}
