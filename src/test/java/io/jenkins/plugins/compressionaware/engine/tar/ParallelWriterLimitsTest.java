package io.jenkins.plugins.compressionaware.engine.tar;

import static io.jenkins.plugins.compressionaware.engine.tar.ParallelFileWriterTest.disk;
import static io.jenkins.plugins.compressionaware.engine.tar.ParallelFileWriterTest.files;
import static io.jenkins.plugins.compressionaware.engine.tar.ParallelFileWriterTest.hang;
import static io.jenkins.plugins.compressionaware.engine.tar.ParallelFileWriterTest.inMemory;
import static io.jenkins.plugins.compressionaware.engine.tar.ParallelFileWriterTest.sleep;
import static io.jenkins.plugins.compressionaware.engine.tar.ParallelFileWriterTest.stream;
import static io.jenkins.plugins.compressionaware.engine.tar.ParallelFileWriterTest.unpack;
import static io.jenkins.plugins.compressionaware.engine.tar.ParallelFileWriterTest.unpacker;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.testing.BoundedHeap;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Parallel writers stay within their heap and their threads, and give both back after any failure. */
@Timeout(240)
class ParallelWriterLimitsTest {
    @AutoClose
    private final TestThreads threads = new TestThreads();

    @TempDir
    private Path tmp;

    @Test
    void heapStaysWithinQuotaAndIsReleased() throws Exception {
        BoundedHeap heap = new BoundedHeap(20_000);
        DiskHelpers helpers = new DiskHelpers(UnpackHarness.helpers().executor(), heap);
        TarBytes tar = files(20, 10);
        tar.file("large", "x".repeat(50_000));
        unpack(unpacker(disk(tmp, (operation, path) -> sleep(1)), tmp, helpers, 8), tar);
        assertEquals(0, heap.taken());
        assertTrue(heap.most() > 5_000, heap.most() + " bytes");
        assertEquals(
                50_000, Files.size(tmp.resolve("large")), "the calling thread writes a file that exceeds the quota");
        assertEquals(201, FileTrees.names(tmp).size());
    }

    @Test
    void callerWritesFilesIfThreadsAreRefused() throws Exception {
        List<DiskHelpers> refusing = List.of(
                DiskHelpers.NONE,
                new DiskHelpers(
                        task -> {
                            throw new OutOfMemoryError("unable to create native thread");
                        },
                        new BoundedHeap(1 << 20)));
        for (DiskHelpers helpers : refusing) {
            Path folder = Files.createTempDirectory(tmp, "folder");
            unpack(unpacker(folder, helpers, 8), files(3, 30));
            assertEquals(90, FileTrees.names(folder).size());
        }
    }

    /** Files that wait for a hung disk keep their names in memory. */
    @Test
    void longNamesCountAsHeap() throws Exception {
        CountDownLatch server = new CountDownLatch(1);
        int limit = 150_000;
        BoundedHeap heap = new BoundedHeap(limit);
        DiskHelpers helpers = new DiskHelpers(UnpackHarness.helpers().executor(), heap);
        TarUnpacker unpacker = unpacker(disk(tmp, (operation, path) -> hang(server)), tmp, helpers, 4);
        TarBytes tar = new TarBytes();
        String folder = ("n".repeat(199) + "/").repeat(18);
        for (int i = 0; i < 300; i++) {
            tar.extended('L', folder + i + '\0').header('0', "", 1).raw(new byte[512]);
        }
        ByteArrayInputStream in = stream(tar);
        int length = in.available();
        Future<Void> unpacking = threads.startBlocking(() -> {
            unpacker.unpack(in);
            return null;
        });
        int taken = length - in.available();
        server.countDown();
        unpacking.get();
        unpacker.close(() -> {});
        assertTrue(taken < limit, taken + " bytes of names and contents wait");
        assertEquals(0, heap.taken());
    }

    /** Not even the message of a failure can be created. All transfers share 64 permits, which 70 rounds would use up. */
    @Test
    void outOfMemoryFailsTransferAndReleasesPermits() throws Exception {
        for (int i = 0; i < 70; i++) {
            TarBytes tar = new TarBytes();
            for (int file = 0; file < 4; file++) {
                tar.file("f" + file + "/x", "content");
            }
            TarUnpacker unpacker = unpacker(Files.createDirectory(tmp.resolve("full" + i)), 2, (operation, path) -> {
                throw new Error() {
                    @Override
                    public String toString() {
                        throw new OutOfMemoryError("Java heap space");
                    }
                };
            });
            CountDownLatch closed = new CountDownLatch(1);
            assertThrows(Throwable.class, () -> unpacker.unpack(stream(tar)));
            unpacker.close(closed::countDown);
            assertEquals(0, closed.getCount(), "no writer is left");
        }
        new ParallelFileWriterTest().parallelWritersCreateTreeOfOneWriter(2);
    }

    private static DiskHelpers losing(AtomicInteger lost) {
        Executor threads = UnpackHarness.helpers().executor();
        return new DiskHelpers(
                task -> {
                    if (lost.decrementAndGet() < 0) {
                        threads.execute(task);
                    }
                },
                new BoundedHeap(1 << 20));
    }

    /** An executor may lose a task that it has accepted. */
    @Test
    void lostTaskIsRepeated() throws Exception {
        unpack(unpacker(tmp, losing(new AtomicInteger(2)), 2), files(3, 30));
        assertEquals(90, FileTrees.names(tmp).size());
    }

    @Test
    void closeWaitsForNoLostTaskAndReleasesItsPermit() throws Exception {
        for (int i = 0; i < 70; i++) {
            ParallelFileWriter files =
                    new ParallelFileWriter(losing(new AtomicInteger(Integer.MAX_VALUE)), UnpackHarness.always(2));
            assertTrue(files.write(Path.of("folder"), inMemory(new AtomicInteger()), new byte[0]), "writer " + i);
            AtomicBoolean closed = new AtomicBoolean();
            files.close(() -> closed.set(true));
            assertTrue(closed.get(), "no writer is left");
        }
    }
}
