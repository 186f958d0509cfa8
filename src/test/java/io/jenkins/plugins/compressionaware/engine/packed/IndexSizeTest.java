package io.jenkins.plugins.compressionaware.engine.packed;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.framefile.LocalFile;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The disk space and the heap of a large index. */
@Timeout(60)
class IndexSizeTest {
    private static final int ENTRIES = 500_000;

    /** Maximum bytes of an entry besides its name. */
    private static final int LIMIT = 24;

    /** Sizes, times and modes are at random, which compresses worst. */
    private static List<TarEntry> entries(boolean attributes) {
        Random random = new Random(1);
        List<TarEntry> entries = new ArrayList<>(ENTRIES);
        long position = 0;
        for (int i = 0; i < ENTRIES; i++) {
            String name = "module%03d/target/classes/Type%06d$%x.class".formatted(i / 2000, i, random.nextInt());
            long size = random.nextInt(100_000);
            long seconds = 1_800_000_000 + random.nextInt(1_000_000);
            int mode = random.nextBoolean() ? 0644 : 0755;
            entries.add(new TarEntry(
                    name,
                    TarEntry.FILE,
                    position,
                    attributes ? size : 0,
                    attributes ? seconds : 0,
                    attributes ? mode : 0644,
                    ""));
            position += 512 + (attributes ? (size + 511) / 512 * 512 : 0);
        }
        entries.sort(Comparator.comparing(TarEntry::name, TarEntry.ORDER));
        return entries;
    }

    private static long bytes(List<TarEntry> entries) throws IOException {
        return new IndexWriter().toBytes(entries).length;
    }

    @Test
    void entryNeedsFewBytesBesidesItsName() throws IOException {
        long whole = bytes(entries(true));
        double each = (double) (whole - bytes(entries(false))) / ENTRIES;
        System.out.printf("%.1f bytes per entry, %.1f without the name%n", (double) whole / ENTRIES, each);
        assertTrue(each < LIMIT, each + " bytes");
    }

    /** The root page, a page of entries, a page of frames, and a block. */
    @Test
    void readerOfOneFileLoadsOnlyItsPages(@TempDir Path tmp) throws Exception {
        Path archive = tmp.resolve("archive");
        Packed.emptyFiles(ENTRIES / 10, archive);
        BlockCache cache = new BlockCache(Long.MAX_VALUE);
        Path file = archive.resolve("packed-artifacts/1.tar.zst");
        PackedFile packed = new PackedFile("name", "identity", () -> new LocalFile(file), cache);
        packed.open(packed.first("folder1/file1000")).close();
        long one = cache.bytes();
        assertTrue(one > 0 && one < 2 * Packed.BLOCK, one + " bytes");
        packed.visit("", entry -> "");
        assertTrue(cache.bytes() > 4 * one, cache.bytes() + " bytes");
    }
}
