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

    @BeforeEach
    void prepare() {
        folder = tmp.resolve("stashes");
        stashes = new StashFolder(folder);
    }

    private void stashFrames(String content, Codec codec) throws Exception {
        Path tree = Files.createDirectories(tmp.resolve("tree"));
        Files.writeString(tree.resolve("file"), content);
        try (FrameFileWriter writer = new FrameFileWriter(stashes.framePath("x"), stashes.newPartial(), 256 * 1024)) {
            FrameFileSink.store(tree, Map.of("file", "file"), new SendOptions(codec, codec.minLevel()), writer);
            writer.commit();
        }
        stashes.deleteCoreFile("x");
    }

    private Path coreFile(String content) throws IOException {
        Path partial = stashes.newPartial();
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(partial))) {
            out.write(content.getBytes(StandardCharsets.UTF_8));
        }
        return partial;
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
        stashes.commitCoreFile("x", coreFile("one"));
        assertEquals("one", coreContent());
        assertEquals(folder.resolve("x.tar.gz"), stashes.find("x"));
        stashFrames("two", codec);
        assertFalse(StashFolder.isCoreFormat(stashes.find("x")));
        assertEquals(1, list(folder).size());
        stashes.commitCoreFile("x", coreFile("three"));
        assertEquals("three", coreContent());
        assertEquals(1, list(folder).size());
        stashes.commitCoreFile("x", coreFile("four"));
        assertEquals("four", coreContent());
        stashFrames("five", codec);
        assertFalse(StashFolder.isCoreFormat(stashes.find("x")));
        assertEquals(1, list(folder).size());
    }

    /** An agent whose stash core transfers could send any bytes, which {@link StashFolder#isCoreFormat} would later take for verified frames. */
    @Test
    void frameFileIsNoFileOfCore() throws Exception {
        stashes.commitCoreFile("x", coreFile("one"));
        for (Codec codec : List.of(Codec.NONE, Codec.GZIP)) {
            Path tree = Files.createDirectories(tmp.resolve("tree"));
            Files.writeString(tree.resolve("file"), "forged");
            Path forged = tmp.resolve("forged");
            CapturedTransfer.store(tree, Map.of("file", "file"), new SendOptions(codec, codec.minLevel()), forged);
            assertFails(
                    "The agent sent the stash ‘x’ in a format that is not Jenkins' own",
                    () -> stashes.commitCoreFile("x", forged));
            assertEquals("one", coreContent());
        }
    }

    /** After a crash, core's file of a replaced stash remains. */
    @Test
    void frameFileTakesPrecedenceOverRemainingCoreFile() throws Exception {
        stashes.commitCoreFile("x", coreFile("one"));
        Path left = Files.copy(folder.resolve("x.tar.gz"), tmp.resolve("left"));
        stashFrames("two", Codec.GZIP);
        Files.copy(left, folder.resolve("x.tar.gz"));
        assertFalse(StashFolder.isCoreFormat(stashes.find("x")));
        stashes.commitCoreFile("x", coreFile("three"));
        assertEquals("three", coreContent());
        StashFolder other = new StashFolder(tmp.resolve("other"));
        stashes.copyTo(other);
        assertEquals(tmp.resolve("other/x.tar.zst"), other.find("x"));
        StashFolder cores = new StashFolder(tmp.resolve("cores"));
        stashes.exportInCoreFormat(cores, Runnable::run);
        assertEquals(-1, Files.mismatch(stashes.find("x"), tmp.resolve("cores/x.tar.gz")));
    }

    @Test
    void exportOfDamagedStashLeavesNoFile() throws Exception {
        stashFrames("one", Codec.GZIP);
        Path file = stashes.framePath("x");
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), (int) Files.size(file) / 2));
        Path cores = tmp.resolve("cores");
        assertThrows(IOException.class, () -> stashes.exportInCoreFormat(new StashFolder(cores), Runnable::run));
        assertEquals(0, cores.toFile().list().length);
    }

    @Test
    void concurrentCommitsKeepStash() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        CyclicBarrier together = new CyclicBarrier(2);
        for (int round = 0; round < ROUNDS; round++) {
            Path ours = Files.writeString(stashes.newPartial(), "ours");
            Path cores = coreFile("core's");
            Future<Void> one = threads.submit(at(together, () -> {
                Files.move(ours, stashes.framePath("x"), StandardCopyOption.ATOMIC_MOVE);
                stashes.deleteCoreFile("x");
            }));
            Future<Void> two = threads.submit(at(together, () -> stashes.commitCoreFile("x", cores)));
            one.get();
            two.get();
            assertNotNull(stashes.find("x"), "round " + round);
            Files.deleteIfExists(folder.resolve("x.tar.zst"));
            Files.deleteIfExists(folder.resolve("x.tar.gz"));
        }
        threads.shutdown();
    }

    private interface Commit {
        void run() throws IOException;
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
            stashes.copyTo(copy);
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
