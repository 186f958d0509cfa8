package io.jenkins.plugins.compressionaware.stash;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static io.jenkins.plugins.compressionaware.testing.FileTrees.list;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileSink;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StashFolderTest {
    private static final int ROUNDS = 3_000;

    @TempDir
    Path tmp;

    private Path folder;
    private StashFolder stashes;
    private StagingJournal journal;

    @BeforeEach
    void prepare() {
        folder = tmp.resolve("stashes");
        stashes = new StashFolder(folder);
        journal = new StagingJournal(tmp.resolve("journal"), tmp);
    }

    private void stashFrames(String content, Codec codec) throws Exception {
        Path tree = Files.createDirectories(tmp.resolve("tree"));
        Files.writeString(tree.resolve("file"), content);
        try (FrameFileWriter writer =
                new FrameFileWriter(stashes.framePath("x"), stashes.newPartial(), 256 * 1024, Long.MAX_VALUE)) {
            FrameFileSink.store(tree, Map.of("file", "file"), new SendOptions(codec, codec.minLevel()), writer);
            writer.commit();
        }
        stashes.deleteCoreFile("x");
    }

    private void stashAsCore(String content) throws Exception {
        stashes.addCoreFile("x", journal, partial -> {
            try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(partial))) {
                out.write(content.getBytes(StandardCharsets.UTF_8));
            }
        });
    }

    private String coreContent() throws IOException {
        Path found = stashes.find("x");
        assertNotNull(found);
        assertTrue(StashFolder.isCoreFormat(found), found.toString());
        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(found))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "GZIP", "ZSTD"})
    void newestStashReplacesBothFormats(Codec codec) throws Exception {
        stashAsCore("one");
        assertEquals("one", coreContent());
        assertEquals(folder.resolve("x.tar.gz"), stashes.find("x"));
        stashFrames("two", codec);
        assertFalse(StashFolder.isCoreFormat(stashes.find("x")));
        assertEquals(1, list(folder).size());
        stashAsCore("three");
        assertEquals("three", coreContent());
        assertEquals(1, list(folder).size());
        stashAsCore("four");
        assertEquals("four", coreContent());
        stashFrames("five", codec);
        assertFalse(StashFolder.isCoreFormat(stashes.find("x")));
        assertEquals(1, list(folder).size());
    }

    /** An agent whose stash core transfers could send any bytes, which {@link StashFolder#isCoreFormat} would later take for verified frames. */
    @Test
    void frameFileIsNoFileOfCore() throws Exception {
        stashAsCore("one");
        for (Codec codec : List.of(Codec.NONE, Codec.GZIP)) {
            Path tree = Files.createDirectories(tmp.resolve("tree"));
            Files.writeString(tree.resolve("file"), "forged");
            Path forged = tmp.resolve("forged");
            CapturedTransfer.store(tree, Map.of("file", "file"), new SendOptions(codec, codec.minLevel()), forged);
            assertFails(
                    "The agent sent the stash ‘x’ in a format that is not Jenkins' own",
                    () -> stashes.addCoreFile("x", journal, partial -> Files.copy(forged, partial)));
            assertEquals("one", coreContent());
        }
    }

    /** After a crash, core's file of a replaced stash remains. */
    @Test
    void frameFileTakesPrecedenceOverRemainingCoreFile() throws Exception {
        stashAsCore("one");
        Path left = Files.copy(folder.resolve("x.tar.gz"), tmp.resolve("left"));
        stashFrames("two", Codec.GZIP);
        Files.copy(left, folder.resolve("x.tar.gz"));
        assertFalse(StashFolder.isCoreFormat(stashes.find("x")));
        stashAsCore("three");
        assertEquals("three", coreContent());
        StashFolder other = new StashFolder(tmp.resolve("other"));
        stashes.copyTo(other, journal);
        assertEquals(tmp.resolve("other/x.tar.zst"), other.find("x"));
        StashFolder cores = new StashFolder(tmp.resolve("cores"));
        stashes.exportInCoreFormat(cores, journal, Runnable::run);
        assertEquals(-1, Files.mismatch(stashes.find("x"), tmp.resolve("cores/x.tar.gz")));
    }

    /** A killed controller must find the file. */
    @Test
    void exportedFileIsInJournalUntilItIsComplete() throws Exception {
        stashFrames("one", Codec.GZIP);
        List<Integer> entries = new ArrayList<>();
        stashes.exportInCoreFormat(new StashFolder(tmp.resolve("cores")), journal, task -> {
            entries.add(tmp.resolve("journal").toFile().list().length);
            task.run();
        });
        assertEquals(1, entries.get(0));
        assertEquals(0, tmp.resolve("journal").toFile().list().length);
    }

    @Test
    void folderOfDeletedBuildDoesNotReappear() {
        assertThrows(IOException.class, new StashFolder(tmp.resolve("build/stashes"))::newPartial);
        assertFalse(Files.exists(tmp.resolve("build")));
    }

    @Test
    void exportOfDamagedStashLeavesNoFile() throws Exception {
        stashFrames("one", Codec.GZIP);
        Path file = stashes.framePath("x");
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), (int) Files.size(file) / 2));
        Path cores = tmp.resolve("cores");
        assertThrows(
                IOException.class, () -> stashes.exportInCoreFormat(new StashFolder(cores), journal, Runnable::run));
        assertEquals(0, cores.toFile().list().length);
    }

    @Test
    void concurrentCommitsKeepStash() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        CyclicBarrier together = new CyclicBarrier(2);
        for (int round = 0; round < ROUNDS; round++) {
            Path ours = Files.writeString(stashes.newPartial(), "ours");
            Future<Void> one = threads.submit(at(together, () -> {
                Files.move(ours, stashes.framePath("x"), StandardCopyOption.ATOMIC_MOVE);
                stashes.deleteCoreFile("x");
            }));
            Future<Void> two = threads.submit(at(together, () -> stashAsCore("core's")));
            one.get();
            two.get();
            assertNotNull(stashes.find("x"), "round " + round);
            Files.deleteIfExists(folder.resolve("x.tar.zst"));
            Files.deleteIfExists(folder.resolve("x.tar.gz"));
        }
        threads.shutdown();
    }

    private interface Commit {
        void run() throws Exception;
    }

    private static Callable<Void> at(CyclicBarrier together, Commit commit) {
        return () -> {
            together.await();
            commit.run();
            return null;
        };
    }

    /** With core's suffix, each name has 255 bytes, the maximum of Linux file systems. */
    @Test
    void storesLongestNameOfCore() throws Exception {
        for (String name : List.of("n".repeat(247), "n".repeat(248), "\u00e4".repeat(124))) {
            Path partial = stashes.newPartial();
            Path file = Files.move(Files.writeString(partial, "ours"), stashes.framePath(name));
            stashes.deleteCoreFile(name);
            assertEquals(file, stashes.find(name));
            StashFolder copy = new StashFolder(tmp.resolve("copy"));
            stashes.copyTo(copy, journal);
            assertEquals("ours", Files.readString(copy.find(name)));
        }
    }

    /** Core replaces such characters through {@code java.io.File}. */
    @Test
    void storesNameThatLocaleCannotEncode() throws Exception {
        assertEquals("r?sultats.tar.gz r?sultats.tar.zst", Jvm.runInCLocale(InTheCLocale.class, folder.toString()));
    }

    /** Prints the names of core's file and of the frame file. */
    static final class InTheCLocale {
        public static void main(String[] arguments) throws IOException {
            StashFolder stashes = new StashFolder(Path.of(arguments[0]));
            stashes.newPartial();
            new FileOutputStream(new File(arguments[0], "r\u00e9sultats.tar.gz")).close();
            String cores = stashes.find("r\u00e9sultats").getFileName().toString();
            Files.createFile(stashes.framePath("r\u00e9sultats"));
            System.out.println(cores + " " + stashes.find("r\u00e9sultats").getFileName());
        }
    }
}
