package io.jenkins.plugins.compressionaware.packed;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.engine.packed.Packed;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import jenkins.util.VirtualFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
class PackedHeapTest {
    private static final int READERS = 10;
    private static final int FILES = 500_000;
    private static final int ZIPS = 5;
    private static final int FILES_PER_ZIP = 100_000;

    @TempDir
    Path tmp;

    /** Without a limit of the cache, the blocks and index pages alone would need several times this heap. */
    @Test
    void tenReadersOfLargeArchivesFitInASmallHeap() throws Exception {
        archives(READERS, FILES);
        assertEquals(
                List.of(String.valueOf(READERS * FILES)), Jvm.run(List.of("-Xmx96m"), Readers.class, tmp.toString()));
    }

    /** The JDK keeps 24 MB of entries for each of these zip files until its end, so all at once would need 120 MB. */
    @Test
    void zipFilesOfLargeArchivesTakeTurnsInASmallHeap() throws Exception {
        archives(ZIPS, FILES_PER_ZIP);
        assertEquals(
                List.of(String.valueOf(ZIPS * FILES_PER_ZIP)), Jvm.run(List.of("-Xmx80m"), Zips.class, tmp.toString()));
    }

    private void archives(int count, int files) throws Exception {
        Path first = Files.createDirectory(tmp.resolve("0")).resolve("archive");
        Packed.emptyFiles(files, first);
        for (int i = 1; i < count; i++) {
            Path folder = Files.createDirectories(tmp.resolve(i + "/archive/packed-artifacts"));
            Files.copy(first.resolve("packed-artifacts/1.tar.zst"), folder.resolve("1.tar.zst"));
        }
    }

    private static VirtualFile root(String folder, int number) {
        return PackedVirtualFile.rootOf(
                Path.of(folder, String.valueOf(number), "archive").toFile());
    }

    /** Writes zip files of all archives in a folder at the same time, and prints the number of their entries. */
    static final class Zips {
        public static void main(String[] folder) throws Exception {
            ExecutorService threads = Executors.newFixedThreadPool(ZIPS);
            List<Callable<Integer>> zips = IntStream.range(0, ZIPS)
                    .mapToObj(i -> (Callable<Integer>)
                            () -> root(folder[0], i).zip(OutputStream.nullOutputStream(), "**", null, true, ""))
                    .toList();
            int count = 0;
            for (Future<Integer> zip : threads.invokeAll(zips)) {
                count += zip.get();
            }
            threads.shutdown();
            System.out.println(count);
        }
    }

    /** Reads all archives in a folder at the same time, and prints the number of files. */
    static final class Readers {
        public static void main(String[] folder) {
            List<VirtualFile> roots = IntStream.range(0, READERS)
                    .mapToObj(i -> root(folder[0], i))
                    .toList();
            System.out.println(roots.parallelStream().mapToInt(Readers::count).sum());
        }

        private static int count(VirtualFile root) {
            int count = 0;
            try {
                for (VirtualFile child : root.list()) {
                    VirtualFile[] files = child.list();
                    count += files.length;
                    try (InputStream in = files[0].open()) {
                        in.read();
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return count;
        }
    }
}
