package io.jenkins.plugins.compressionaware.engine.tar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExpectedNamesTest {
    private static final int NAMES = 200_000;

    /** An archive may have a million files. */
    @Test
    void expectedNameNeedsNoTextOrPathOfItsOwn(@TempDir Path folder) throws IOException {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < NAMES; i++) {
            names.add(String.format("modules/module-%03d/target/surefire-reports/report-%06d.xml", i % 1000, i));
        }
        long before = usedHeap();
        TarUnpacker unpacker = new TarUnpacker(folder, names, DiskHelpers.NONE, EntryDecoder.NONE);
        long each = (usedHeap() - before) / NAMES;
        assertTrue(each < 70, each + " bytes for each name");
        assertEquals(0, unpacker.entries());
        assertEquals(NAMES, names.size());
    }

    private static long usedHeap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            least = Math.min(
                    least,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return least;
    }
}
