package io.jenkins.plugins.compressionaware.engine.tar;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of a workspace that are aborted, that cannot be opened, or that others write at the same time. */
@ParameterizedClass
@ValueSource(ints = {1, 4})
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "files in use are retried there, and modes do not exist")
@Timeout(120)
class PendingFileTest {
    /** Files of this size are written by the transfer's own thread. */
    private static final int LARGE = 2 << 20;

    /** Number of files in parallel. */
    @Parameter
    private int writers;

    @AutoClose
    private final TestThreads threads = new TestThreads();

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void prepare() {
        file = folder.resolve("f");
    }

    private static byte[] tar(String name, char content, int length) throws IOException {
        return new TarBytes()
                .file(name, String.valueOf(content).repeat(length))
                .end()
                .bytes();
    }

    private TarUnpacker unpacker(FileCreator disk) throws IOException {
        return new TarUnpacker(
                new Workspace(folder, disk, true), null, UnpackHarness.files(writers), EntryDecoder.NONE);
    }

    private List<ExtractionWarning> unpack(FileCreator disk, InputStream tar) throws IOException {
        TarUnpacker unpacker = unpacker(disk);
        try {
            unpacker.unpack(tar);
        } finally {
            unpacker.close(() -> {});
        }
        return unpacker.warnings();
    }

    private List<ExtractionWarning> unpack(FileCreator disk, TarBytes tar) throws IOException {
        return unpack(disk, new ByteArrayInputStream(tar.end().bytes()));
    }

    /** Returns a stream that fails after its first MiB. */
    private static InputStream cut(byte[] tar, Runnable before) {
        return new FilterInputStream(new ByteArrayInputStream(tar, 0, 1 << 20)) {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                int n = super.read(bytes, offset, length);
                if (n < 0) {
                    before.run();
                    throw new InterruptedIOException("aborted");
                }
                return n;
            }
        };
    }

    private void abort(Runnable before) throws IOException {
        byte[] tar = tar("f", 'a', LARGE);
        assertThrows(InterruptedIOException.class, () -> unpack(new FileCreator(folder), cut(tar, before)));
    }

    private void assertContent(char content, int length) throws IOException {
        String now = Files.readString(file);
        assertEquals(String.valueOf(content).repeat(length), now, () -> now.length() + " bytes");
        assertEquals(List.of("f"), FileTrees.list(folder));
    }

    /** Two branches of a build unpack into one folder, and the first is aborted. */
    @ParameterizedTest
    @ValueSource(ints = {500_000, LARGE})
    void abortDeletesNoFileOfAnotherTransfer(int length) throws Exception {
        byte[] tar = tar("f", 'b', length);
        AtomicReference<Thread> second = new AtomicReference<>();
        AtomicReference<Future<?>> other = new AtomicReference<>();
        abort(() -> {
            other.set(threads.submit(() -> {
                second.set(Thread.currentThread());
                return unpack(new FileCreator(folder), new ByteArrayInputStream(tar));
            }));
            await().until(() -> other.get().isDone()
                    || second.get() != null && second.get().getState() == Thread.State.WAITING
                    || second.get() != null && second.get().getState() == Thread.State.TIMED_WAITING);
        });
        other.get().get();
        assertContent('b', length);
    }

    /** A program or another agent writes to the file, or replaces it. */
    @ParameterizedTest
    @CsvSource({"1500000, true", "1500000, false", "10, false", "-1, false"})
    void abortDeletesNoFileOfAnotherProcess(int length, boolean replaces) throws Exception {
        Path beside = folder.resolveSibling(folder.getFileName() + "b");
        abort(() -> {
            try {
                // the size stays the same if the file is replaced
                int size = length < 0 ? (int) Files.size(file) : length;
                Path target = length < 0 || replaces ? beside : file;
                Files.writeString(target, "p".repeat(size));
                if (target == beside) {
                    Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        assertTrue(Files.readString(file).startsWith("ppp"));
    }

    @Test
    void abortDeletesItsOwnFile() throws Exception {
        abort(() -> assertTrue(Files.exists(file)));
        assertEquals(List.of(), FileTrees.list(folder));
    }

    @Test
    void interruptEndsWaitForAnotherTransfer() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Future<?> first = threads.startBlocking(() -> {
            abort(() -> await().until(() -> release.getCount() == 0));
            return null;
        });
        AtomicReference<Thread> second = new AtomicReference<>();
        AtomicBoolean cleaned = new AtomicBoolean();
        Future<?> waiting = threads.startBlocking(() -> {
            second.set(Thread.currentThread());
            TarUnpacker unpacker = unpacker(new FileCreator(folder));
            try {
                unpacker.unpack(new ByteArrayInputStream(tar("f", 'b', 5)));
            } finally {
                Thread.interrupted();
                unpacker.close(() -> cleaned.set(true));
            }
            return null;
        });
        second.get().interrupt();
        Throwable ended = assertThrows(ExecutionException.class, waiting::get).getCause();
        assertTrue(ended instanceof InterruptedIOException, ended.toString());
        assertTrue(cleaned.get(), "no writer still waits");
        release.countDown();
        first.get();
        assertEquals(List.of(), FileTrees.list(folder));
    }

    /** A claim that is left would block the file until the JVM ends. */
    @Test
    void errorReleasesFile() throws Exception {
        FileCreator broken = new FileCreator(folder) {
            @Override
            OutputStream create(Path path, int mode, boolean shared) {
                throw new OutOfMemoryError("test");
            }
        };
        assertThrows(Throwable.class, () -> unpack(broken, new ByteArrayInputStream(tar("f", 'a', 5))));
        unpack(new FileCreator(folder), new ByteArrayInputStream(tar("f", 'b', 5)));
        assertContent('b', 5);
    }

    /** Cannot open existing files, such as read-only ones. */
    private FileCreator readOnly() {
        return new FileCreator(folder) {
            @Override
            OutputStream overwrite(Path path) throws IOException {
                throw new AccessDeniedException(path.toString());
            }
        };
    }

    @Test
    void fileThatCannotBeOpenedStaysUntilReplacementIsComplete() throws Exception {
        Files.writeString(file, "old");
        byte[] tar = tar("f", 'a', LARGE);
        assertThrows(
                InterruptedIOException.class,
                () -> unpack(readOnly(), cut(tar, () -> {
                    try {
                        assertEquals("old", Files.readString(file));
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                })));
        assertContentIs("old");
        unpack(readOnly(), new ByteArrayInputStream(tar));
        assertContent('a', LARGE);
    }

    private void assertContentIs(String content) throws IOException {
        assertEquals(content, Files.readString(file));
        assertEquals(List.of("f"), FileTrees.list(folder));
    }

    /** An agent has too many open files, for example, or the file is a mount point that cannot be replaced. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void fileStaysIfReplacementFails(boolean created) throws Exception {
        Files.writeString(file, "old");
        FileCreator failing = new FileCreator(folder) {
            @Override
            OutputStream create(Path path, int mode, boolean shared) throws IOException {
                if (created || path.equals(file)) {
                    return super.create(path, mode, shared);
                }
                throw new FileSystemException(path.toString(), null, "no replacement");
            }

            @Override
            OutputStream overwrite(Path path) throws IOException {
                throw new FileSystemException(path.toString(), null, "Too many open files");
            }

            @Override
            void rename(Path from, Path to) throws IOException {
                throw new FileSystemException(to.toString(), null, "Device or resource busy");
            }
        };
        assertFails(
                "Cannot write f: " + (created ? "Device or resource busy" : "Too many open files")
                        + ". Missing or incomplete from f on. Entries written: 0",
                () -> unpack(failing, new TarBytes().file("f", "new")));
        assertContentIs("old");
    }

    @Test
    void twoTransfersReplaceReadOnlyFiles() throws Exception {
        TarBytes tar = new TarBytes();
        for (int i = 0; i < 20; i++) {
            tar.file("f" + i, "x".repeat(20_000));
        }
        byte[] bytes = tar.end().bytes();
        CyclicBarrier together = new CyclicBarrier(2);
        List<Future<?>> both = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            both.add(threads.submit(() -> {
                for (int round = 0; round < 20; round++) {
                    together.await();
                    assertEquals(List.of(), unpack(readOnly(), new ByteArrayInputStream(bytes)));
                }
                return null;
            }));
        }
        for (Future<?> each : both) {
            each.get();
        }
        assertEquals(20, FileTrees.list(folder).size());
        for (String name : FileTrees.list(folder)) {
            assertEquals(20_000, Files.size(folder.resolve(name)));
        }
    }

    @Test
    void namesOfOneFileAreWrittenOneAfterAnother() throws Exception {
        TarBytes tar = new TarBytes();
        for (int i = 0; i < 10; i++) {
            Path first = Files.writeString(folder.resolve("a" + i), "old");
            Files.createLink(folder.resolve("b" + i), first);
            tar.file("a" + i, "a".repeat(40_000)).file("b" + i, "b".repeat(30_000));
        }
        Map<Object, Object> open = new ConcurrentHashMap<>();
        AtomicInteger mixed = new AtomicInteger();
        FileCreator slow = new FileCreator(folder) {
            @Override
            OutputStream overwrite(Path path) throws IOException {
                Object key =
                        Files.readAttributes(path, BasicFileAttributes.class).fileKey();
                if (open.put(key, path) != null) {
                    mixed.incrementAndGet();
                }
                return new FilterOutputStream(super.overwrite(path)) {
                    @Override
                    public void write(byte[] bytes, int offset, int length) throws IOException {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                        out.write(bytes, offset, length);
                    }

                    @Override
                    public void close() throws IOException {
                        open.remove(key);
                        super.close();
                    }
                };
            }
        };
        unpack(slow, tar);
        assertEquals(0, mixed.get(), "two writers of one file");
        for (int i = 0; i < 10; i++) {
            assertEquals("b".repeat(30_000), Files.readString(folder.resolve("a" + i)));
        }
    }
}
