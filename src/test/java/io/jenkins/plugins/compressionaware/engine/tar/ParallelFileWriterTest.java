package io.jenkins.plugins.compressionaware.engine.tar;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.ByteArrayInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
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
    interface Before {
        void doing(Operation operation, Path path) throws IOException;
    }

    enum Operation {
        CREATE,
        CLOSE,
        TIME
    }

    static FileCreator disk(Path folder, Before before) {
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

    static TarUnpacker unpacker(Path folder, int writers, Before before) throws IOException {
        return unpacker(disk(folder, before), folder, UnpackHarness.helpers(), writers);
    }

    static void unpack(TarUnpacker unpacker, TarBytes tar) throws IOException {
        unpacker.unpack(stream(tar));
        unpacker.close(() -> {});
    }

    static TarUnpacker unpacker(Path folder, DiskHelpers helpers, int writers) throws IOException {
        return unpacker(new FileCreator(folder), folder, helpers, writers);
    }

    static TarUnpacker unpacker(FileCreator disk, Path folder, DiskHelpers helpers, int writers) throws IOException {
        ParallelFileWriter files = new ParallelFileWriter(helpers, UnpackHarness.always(writers));
        return new TarUnpacker(Workspace.own(folder, disk), null, files, EntryDecoder.NONE);
    }

    static ByteArrayInputStream stream(TarBytes tar) throws IOException {
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

    static void sleep(int millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Blocks like a call to a server that does not respond. */
    static void hang(CountDownLatch server) {
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

    static TarBytes files(int folders, int each) throws IOException {
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

    static PendingFile inMemory(AtomicInteger written) {
        return new PendingFile(null, null, null, "", 0, null, 0) {
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
}
