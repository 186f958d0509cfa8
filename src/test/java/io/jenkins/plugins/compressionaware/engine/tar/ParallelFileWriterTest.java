package io.jenkins.plugins.compressionaware.engine.tar;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.testing.BoundedHeap;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes several files in parallel to slow disks. */
@Timeout(240)
class ParallelFileWriterTest {
    @AutoClose
    private final TestThreads threads = new TestThreads();

    @TempDir
    private Path tmp;

    /** Runs before each operation of the disk. */
    private interface Before {
        void doing(Operation operation, Path path) throws IOException;
    }

    private enum Operation {
        CREATE,
        CLOSE,
        TIME
    }

    private static FileCreator disk(Path folder, Before before) {
        return new FileCreator(folder) {
            @Override
            OutputStream create(Path path, int mode, boolean shared) throws IOException {
                if (!shared) {
                    return super.create(path, mode, false);
                }
                before.doing(Operation.CREATE, path);
                return new FilterOutputStream(super.create(path, mode, true)) {
                    private boolean closed;

                    @Override
                    public void write(byte[] bytes, int offset, int length) throws IOException {
                        out.write(bytes, offset, length);
                    }

                    @Override
                    public void close() throws IOException {
                        super.close();
                        if (!closed) {
                            closed = true;
                            before.doing(Operation.CLOSE, path);
                        }
                    }
                };
            }

            @Override
            void setLastModified(Path path, FileTime modified) throws IOException {
                before.doing(Operation.TIME, path);
                super.setLastModified(path, modified);
            }
        };
    }

    private static TarUnpacker unpacker(Path folder, int writers, Before before) throws IOException {
        return unpacker(disk(folder, before), folder, UnpackHarness.helpers(), writers);
    }

    private static void unpack(TarUnpacker unpacker, TarBytes tar) throws IOException {
        unpacker.unpack(stream(tar));
        unpacker.close(() -> {});
    }

    private static TarUnpacker unpacker(Path folder, DiskHelpers helpers, int writers) throws IOException {
        return unpacker(new FileCreator(folder), folder, helpers, writers);
    }

    private static TarUnpacker unpacker(FileCreator disk, Path folder, DiskHelpers helpers, int writers)
            throws IOException {
        ParallelFileWriter files = new ParallelFileWriter(helpers, UnpackHarness.always(writers));
        return new TarUnpacker(Workspace.own(folder, disk), null, files, EntryDecoder.NONE);
    }

    private static ByteArrayInputStream stream(TarBytes tar) throws IOException {
        return new ByteArrayInputStream(tar.end().bytes());
    }

    /** The disk ignores case, so that names of files and folders collide. */
    @ParameterizedTest
    @ValueSource(ints = {2, 16})
    void parallelWritersCreateTreeOfOneWriter(int writers) throws Exception {
        for (int seed = 0; seed < 40; seed++) {
            Map<String, String> expected = unpackRandom(1, seed);
            assertEquals(expected, unpackRandom(writers, seed), "seed " + seed);
        }
    }

    private static Map<String, String> unpackRandom(int writers, int seed) throws IOException {
        Random random = new Random(seed);
        TarBytes tar = new TarBytes();
        for (int i = 0; i < 150; i++) {
            String name = "f" + random.nextInt(4) + "/" + "aAbB".charAt(random.nextInt(4)) + "/"
                    + "xXyYzZvV".charAt(random.nextInt(8));
            if (random.nextInt(8) == 0) {
                tar.link(name, "to" + i);
            } else {
                tar.file(name, "content " + i + " ".repeat(random.nextInt(3000)));
            }
        }
        try (FileSystem fileSystem = Jimfs.newFileSystem(Configuration.osX())) {
            Path folder = Files.createDirectory(fileSystem.getPath("folder"));
            TarUnpacker unpacker = unpacker(folder, writers, (operation, path) -> {
                if (random.nextInt(3) == 0) {
                    sleep(random.nextInt(3));
                }
            });
            unpack(unpacker, tar);
            return tree(folder);
        }
    }

    private static Map<String, String> tree(Path folder) throws IOException {
        Map<String, String> tree = new TreeMap<>();
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                String name = folder.relativize(path).toString().toLowerCase();
                if (Files.isSymbolicLink(path)) {
                    tree.put(name, "-> " + Files.readSymbolicLink(path));
                } else if (Files.isRegularFile(path)) {
                    String content = Files.readString(path);
                    tree.put(name, content.strip() + ", " + content.length());
                }
            }
        }
        return tree;
    }

    private static void sleep(int millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Blocks like a call to a server that does not respond. */
    private static void hang(CountDownLatch server) {
        try {
            server.await();
        } catch (InterruptedException e) {
            throw new AssertionError("writers are not interrupted", e);
        }
    }

    /** A network disk may report that it is full when a file is closed. */
    @ParameterizedTest
    @EnumSource(names = {"CREATE", "CLOSE"})
    void firstFailureNamesItsFileAndStopsOthers(Operation where) throws Exception {
        AtomicInteger after = new AtomicInteger();
        AtomicBoolean failed = new AtomicBoolean();
        TarUnpacker unpacker = unpacker(tmp, 4, (operation, path) -> {
            if (operation == where && path.endsWith("d3/f3")) {
                failed.set(true);
                throw new FileSystemException(path.toString(), null, "No space left on device");
            } else if (operation == Operation.CREATE && failed.get()) {
                after.incrementAndGet();
            }
            sleep(1);
        });
        assertFails("Cannot write d3/f3: No space left on device", () -> unpacker.unpack(stream(files(40, 40))));
        AtomicBoolean last = new AtomicBoolean();
        unpacker.close(() -> last.set(true));
        assertTrue(last.get());
        assertTrue(after.get() < 10, after + " files were started after the failure");
    }

    private static TarBytes files(int folders, int each) throws IOException {
        TarBytes tar = new TarBytes();
        for (int folder = 0; folder < folders; folder++) {
            for (int file = 0; file < each; file++) {
                tar.file("d" + folder + "/f" + file, "content");
            }
        }
        return tar;
    }

    @Test
    void interruptDoesNotWaitForHungWriters() throws Exception {
        CountDownLatch server = new CountDownLatch(1);
        AtomicInteger hanging = new AtomicInteger();
        TarUnpacker unpacker = unpacker(tmp, 4, (operation, path) -> {
            hanging.incrementAndGet();
            hang(server);
        });
        FutureTask<Boolean> unpacking = new FutureTask<>(() -> {
            assertThrows(InterruptedIOException.class, () -> unpacker.unpack(stream(files(10, 10))));
            return Thread.interrupted();
        });
        Thread thread = new Thread(unpacking);
        thread.start();
        await().until(() -> hanging.get() == 4);
        thread.interrupt();
        assertTrue(unpacking.get(10, TimeUnit.SECONDS), "the caller stays interrupted");

        AtomicBoolean last = new AtomicBoolean();
        unpacker.close(() -> last.set(true));
        assertFalse(last.get(), "files are still being written");
        server.countDown();
        await().until(last::get);
        try (Stream<Path> all = Files.walk(tmp)) {
            assertEquals(4, all.filter(Files::isRegularFile).count(), "no file is started after the interrupt");
        }
    }

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

    /** New files must not wait for a writer that stops. */
    @Test
    void filesAreWrittenWhileWritersStartAndStop() throws Exception {
        Random random = new Random(3);
        AtomicInteger written = new AtomicInteger();
        ParallelFileWriter writers = new ParallelFileWriter(UnpackHarness.helpers(), new AdaptiveConcurrency() {
            @Override
            int current() {
                return 1 + random.nextInt(3);
            }
        });
        int files = 100_000;
        int byCaller = 0;
        for (int i = 0; i < files; i++) {
            if (!writers.write(Path.of("folder" + random.nextInt(4)), inMemory(written), new byte[0])) {
                byCaller++;
            }
            if (random.nextInt(3) == 0) {
                writers.awaitIdle();
            }
        }
        writers.awaitIdle();
        assertEquals(files, byCaller + written.get());
    }

    private static PendingFile inMemory(AtomicInteger written) {
        return new PendingFile(null, null, null, "", 0, null) {
            @Override
            OutputStream create(boolean shared) {
                return OutputStream.nullOutputStream();
            }

            @Override
            void finish() {
                written.incrementAndGet();
            }
        };
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
        parallelWritersCreateTreeOfOneWriter(2);
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

    /** A delta of three kilobytes can describe millions of runs of one byte each. */
    @Test
    void contentReadByteByByteIsWrittenInLargeBlocks() throws IOException {
        byte[] bytes = FileTrees.noise(300_000);
        int[] writes = new int[1];
        FileCreator counting = new FileCreator(tmp) {
            @Override
            OutputStream create(Path path, int mode, boolean shared) throws IOException {
                return new FilterOutputStream(super.create(path, mode, shared)) {
                    @Override
                    public void write(byte[] content, int offset, int length) throws IOException {
                        writes[0]++;
                        out.write(content, offset, length);
                    }
                };
            }
        };
        InputStream single = new FilterInputStream(new ByteArrayInputStream(bytes)) {
            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                return super.read(target, offset, Math.min(1, length));
            }
        };
        Path file = tmp.resolve("file");
        PendingFile target =
                new PendingFile(Workspace.own(tmp, counting), Path.of("file"), file, "file", 0, FileTime.fromMillis(0));
        new FileExtractor(new ParallelFileWriter(DiskHelpers.NONE, new AdaptiveConcurrency()))
                .write(tmp, target, single, bytes.length);
        assertArrayEquals(bytes, Files.readAllBytes(file));
        assertEquals(3, writes[0]);
    }
}
