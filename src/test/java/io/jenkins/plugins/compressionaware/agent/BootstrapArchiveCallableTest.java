package io.jenkins.plugins.compressionaware.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.Sender;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.Command;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import io.jenkins.plugins.compressionaware.testing.SparseFile;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Archives files through bootstrap calls, and compares the files that the receiver extracts. */
class BootstrapArchiveCallableTest {
    private static final int BLOCK = 64 * 1024;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @TempDir
    private Path temp;

    private Path workspace;
    private Path archive;

    @BeforeEach
    void prepare() throws IOException {
        workspace = Files.createDirectory(temp.resolve("workspace"));
        archive = temp.resolve("archive");
    }

    @AfterEach
    void stop() {
        Threads.end(threads);
    }

    private void noise(String name, int length) throws IOException {
        FileTrees.noise(workspace.resolve(name), length);
    }

    private BootstrapDriver driver() throws IOException {
        return new BootstrapDriver(workspace, FileTrees.names(workspace), BLOCK);
    }

    /** Archives the workspace. The engine sends the files that bootstrap calls do not. */
    private ReceiveReport archive(BootstrapDriver driver) throws Exception {
        Map<String, String> names = FileTrees.names(workspace);
        try (Receiver receiver = new Receiver(archive, null, names.keySet(), EntryDecoder.NONE, BLOCK, threads)) {
            receiver.start();
            OutputStream lane = receiver.inbox().newSequentialLane();
            for (byte[] frames = driver.next(); frames != null; frames = driver.next()) {
                lane.write(frames);
            }
            if (!driver.isAll()) {
                Sender.send(
                        workspace,
                        driver.remaining(names),
                        new SendOptions(Codec.GZIP, 1, BLOCK, 1),
                        CapturedTransfer.target(List.of(lane), CapturedTransfer.unlimitedCredit(), receiver),
                        null);
            }
            ReceiveReport received = receiver.awaitEnd(() -> {});
            receiver.commit();
            assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
            return received;
        }
    }

    /** Log lines, which level 4 would make a fifth larger than core's level 6; and noise that repeats. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void stashIsAboutAsSmallAsCores(boolean noise) throws Exception {
        byte[] content = new byte[800_000];
        if (noise) {
            new Random(1).nextBytes(content);
            for (int i = 0; i + 8000 < content.length; i += 8000) {
                System.arraycopy(content, i, content, i + 4000, 2000);
            }
        } else {
            StringBuilder log = new StringBuilder();
            for (int i = 0; log.length() < content.length; i++) {
                log.append("[INFO] step ").append(i).append(" of module ").append(i * 7919 % 1000);
                log.append(" done in ").append(i * 31 % 997).append(" ms\n");
            }
            content = log.toString().getBytes(StandardCharsets.US_ASCII);
        }
        Files.write(workspace.resolve("content"), content);
        ByteArrayOutputStream ours = new ByteArrayOutputStream();
        new BootstrapArchiveCallable(null, 0, 0, BootstrapArchiveCallable.BLOCK, 1 << 20, null)
                .stash(workspace.toFile(), new TreeSet<>(Set.of("content")), ours);
        ByteArrayOutputStream cores = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(cores)) {
            gzip.write(content);
        }
        assertTrue(ours.size() <= 1.05 * cores.size(), ours.size() + " bytes, core " + cores.size());
    }

    @Test
    void randomTreesAreArchivedUnchanged() throws Exception {
        for (long seed = 0; seed < 20; seed++) {
            workspace = RandomTree.create(temp.resolve("random" + seed), seed);
            archive = temp.resolve("archive of " + seed);
            BootstrapDriver driver = driver();
            ReceiveReport received = archive(driver);
            assertTrue(driver.isAll(), "seed " + seed);
            assertEquals(driver.entries, received.figures().entries());
            assertEquals(driver.contentBytes, received.figures().contentBytes());
            assertEquals(driver.wireBytes, received.figures().wireBytes());
        }
    }

    @Test
    void emptyWorkspaceMakesEmptyArchive() throws Exception {
        BootstrapDriver driver = driver();
        archive(driver);
        assertEquals(1, driver.calls);
        assertTrue(driver.isAll());
    }

    @Test
    void nextCallContinuesWhereLastStopped() throws Exception {
        for (int i = 0; i < 150; i++) {
            noise("noise" + i, 60_000 + i);
        }
        BootstrapDriver driver = driver();
        archive(driver);
        assertFullCalls(driver, BootstrapArchiveCallable.TARGET_WIRE_BYTES);
        assertTrue(driver.isAll());
        // large writes delay the controller, and many small writes have a header each
        assertTrue(driver.largestWrite > 128 * 1024 && driver.largestWrite < 3 * BLOCK, driver.largestWrite + " bytes");
    }

    /** Asserts that each call but the last was as long as its target allowed. */
    private static void assertFullCalls(BootstrapDriver driver, int targetWireBytes) {
        assertTrue(
                driver.calls > 1 && driver.calls <= 1 + driver.wireBytes / targetWireBytes,
                driver.calls + " calls for " + driver.wireBytes + " bytes");
    }

    @Test
    void limitedHeapShortensCalls() throws Exception {
        int targetWireBytes = 64 * 1024;
        for (int i = 0; i < 60; i++) {
            noise("noise" + i, 20_000);
        }
        noise("noise that is just not too large", targetWireBytes);
        BootstrapDriver driver = new BootstrapDriver(workspace, FileTrees.names(workspace), BLOCK, targetWireBytes);
        archive(driver);
        assertFullCalls(driver, targetWireBytes);
        assertTrue(driver.isAll());
        assertTrue(
                driver.largestCall <= BootstrapArchiveCallable.MAX_OVERSHOOT * targetWireBytes,
                driver.largestCall + " bytes");

        noise("noise that is", targetWireBytes + 1);
        BootstrapDriver tooLarge = new BootstrapDriver(workspace, FileTrees.names(workspace), BLOCK, targetWireBytes);
        assertEquals(0, tooLarge.next().length);
        assertTrue(tooLarge.needsEngine);
    }

    @Test
    void interleavedTextIsCompressedAndNoiseIsNot() throws Exception {
        byte[] text = "Text of which much can be saved. ".repeat(3_000).getBytes(StandardCharsets.US_ASCII);
        byte[] halfNoise = FileTrees.noise(400_000);
        for (int i = 0; i < halfNoise.length; i++) {
            halfNoise[i] &= 0x0f; // gzip halves it
        }
        for (int i = 0; i < 5; i++) {
            noise(i + "a", 100_000);
            Files.write(workspace.resolve(i + "b"), text);
        }
        Files.write(workspace.resolve("c"), halfNoise);
        BootstrapDriver driver = driver();
        archive(driver);
        assertTrue(
                driver.wireBytes > 500_000 && driver.wireBytes < 500_000 + 240_000 + 30_000,
                driver.wireBytes + " bytes");
    }

    @Test
    void largeFileNeedsEngineAtOnce() throws Exception {
        noise("before", 10);
        noise("large", 2_200_000);
        noise("with", 10);
        BootstrapDriver driver = driver();
        archive(driver);
        assertEquals(0, driver.entries);
        assertTrue(driver.needsEngine);
    }

    @Test
    void largeWorkspaceNeedsEngineAtOnce() throws Exception {
        for (int i = 0; i < 21; i++) {
            SparseFile.ofLength(workspace.resolve("sparse" + i), 1 << 20);
        }
        BootstrapDriver driver = driver();
        archive(driver);
        assertEquals(0, driver.entries);
        assertTrue(driver.needsEngine);
    }

    /** Eleven octal digits of seconds end in 2242, and cannot express a negative time. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "1970-01-01T00:00:00Z",
                "2242-03-16T12:56:31Z",
                "2242-03-16T12:56:32Z",
                "2300-01-01T00:00:00Z",
                "1969-12-31T23:59:58Z"
            })
    void modificationTimeIsKept(String time) throws Exception {
        noise("a", 10);
        Files.setLastModifiedTime(workspace.resolve("a"), FileTime.from(Instant.parse(time)));
        BootstrapDriver driver = driver();
        archive(driver);
        assertTrue(driver.isAll());
    }

    /** The engine then reports the file. */
    @Test
    void unreadableFileIsLeftToEngine() throws Exception {
        noise("a", 10);
        noise("c", 10);
        BootstrapDriver driver = new BootstrapDriver(workspace, Map.of("a", "a", "b", "gone", "c", "c"), BLOCK);
        driver.next();
        assertEquals(1, driver.entries);
        assertFalse(driver.isAll());
        assertTrue(driver.needsEngine);
        assertNull(driver.next());
    }

    @Test
    void absolutePathIsRelativeToWorkspace() throws Exception {
        Path sub = Files.createDirectory(workspace.resolve("sub"));
        Files.writeString(sub.resolve("x"), "hi");
        Path secret = Files.writeString(temp.resolve("secret"), "secret");
        BootstrapDriver driver = new BootstrapDriver(workspace, Map.of("a", "/sub/x", "b", secret.toString()), BLOCK);
        byte[] frames = driver.next();
        assertEquals(1, driver.entries);
        assertTrue(driver.needsEngine, "the second file does not exist");
        assertEquals("hi", new String(content(frames), StandardCharsets.UTF_8));
    }

    /** The engine then reports the FIFO. */
    @Test
    void fifoIsLeftToEngineUnopened() throws Exception {
        assumeTrue(Command.works("mkfifo", workspace.resolve("p").toString()), "Untested: no FIFO can be made here");
        BootstrapDriver driver = new BootstrapDriver(workspace, Map.of("p", "p"), BLOCK);
        driver.next();
        assertTrue(driver.needsEngine);
    }

    @Test
    void contentOfReplacedFileIsNeverMixed() throws Exception {
        Path file = Files.writeString(workspace.resolve("file"), "a");
        Thread writer = new Thread(() -> {
            try {
                for (int i = 1; !Thread.currentThread().isInterrupted(); i++) {
                    String content = String.valueOf((char) ('a' + i % 20)).repeat(1 + i % 20);
                    Path beside = Files.writeString(workspace.resolve("beside"), content);
                    Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        writer.start();
        try {
            for (int i = 0; i < 3_000; i++) {
                BootstrapDriver driver = new BootstrapDriver(workspace, Map.of("file", "file"), BLOCK);
                String content = new String(content(driver.next()), StandardCharsets.UTF_8);
                assertTrue(driver.isAll(), "the file did not shrink");
                assertEquals(String.valueOf((char) ('a' + content.length() - 1)).repeat(content.length()), content);
            }
        } finally {
            writer.interrupt();
            writer.join();
        }
    }

    /** Returns the content of the first file in some frames, which are gzip members. */
    private static byte[] content(byte[] frames) throws IOException {
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new GZIPInputStream(new ByteArrayInputStream(frames)))) {
            tar.getNextEntry();
            return tar.readAllBytes();
        }
    }
}
