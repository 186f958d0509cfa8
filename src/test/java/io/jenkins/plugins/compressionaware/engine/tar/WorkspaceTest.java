package io.jenkins.plugins.compressionaware.engine.tar;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.MountedFileSystem;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Unpacks into a folder that others use, that is full, or that has files in use. */
@ParameterizedClass
@ValueSource(ints = {1, 4})
class WorkspaceTest extends WorkspaceTestBase {
    @Test
    void failureIsReportedAndNewPartialFileDeleted() throws Exception {
        Path folder = Files.createDirectory(tmp.resolve("w"));
        Files.writeString(folder.resolve("old"), "before");
        FileCreator full = new FileCreator(folder) {
            @Override
            OutputStream create(Path path, int mode, boolean shared) throws IOException {
                return failing(path, super.create(path, mode, shared));
            }

            @Override
            OutputStream overwrite(Path path) throws IOException {
                return failing(path, super.overwrite(path));
            }
        };
        for (String name : List.of("new", "old")) {
            Workspace workspace = new Workspace(folder, full, true);
            byte[] tar =
                    tar().file("a", "x").file("b", "y").file(name, "full").end().bytes();
            assertFailsWith(
                    "Cannot write " + name + ": No space left on device. Missing or incomplete from " + name
                            + " on. Entries written: 2",
                    () -> unpack(workspace, tar));
            assertEquals(List.of("a", "b", "old"), FileTrees.list(folder));
        }
        assertEquals("", Files.readString(folder.resolve("old")), "the existing file is truncated, as in core");
    }

    private static OutputStream failing(Path path, OutputStream out) {
        return new FilterOutputStream(out) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                if (length == 4) {
                    throw new FileSystemException(path.toString(), null, "No space left on device");
                }
                out.write(bytes, offset, length);
            }
        };
    }

    @Test
    void truncatedStreamReportsMissingEntries() throws Exception {
        Path folder = Files.createDirectory(tmp.resolve("w"));
        byte[] tar = tar().file("a", "x").file("d/b", "y".repeat(2_000)).end().bytes();
        Map<Integer, String> firstMissing = Map.of(2_236, "d/b", 1_024, "what follows a", 512, "", 0, "");
        firstMissing.forEach((length, from) -> {
            String message = assertThrows(
                            IOException.class, () -> unpack(new Workspace(folder, true), Arrays.copyOf(tar, length)))
                    .getMessage();
            assertTrue(message.contains(". Missing or incomplete from " + from), message);
            assertTrue(message.endsWith(" on. Entries written: " + (length < 1_024 ? 0 : 1)), message);
            assertFalse(Files.exists(folder.resolve("d/b")));
        });
    }

    /** Repeated stages unpack the same files over those of the stage before. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void diskWithSpaceForOneCopySuffices() throws Exception {
        byte[] tar = tar().file("f", "x".repeat(700_000)).end().bytes();
        try (MountedFileSystem disk = MountedFileSystem.small(tmp.resolve("disk"), 1)) {
            unpack(disk.folder(), true, tar);
            unpack(disk.folder(), true, tar);
            assertEquals(700_000, Files.size(disk.folder().resolve("f")));
        }
    }

    @Test
    void interruptLeavesNoPartialFile() throws Exception {
        Path folder = Files.createDirectory(tmp.resolve("w"));
        byte[] tar = tar().file("a", "x").file("b", "y".repeat(3 << 20)).end().bytes();
        InputStream aborted = new FilterInputStream(new ByteArrayInputStream(tar)) {
            private int left = 1 << 20;

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                if (left <= 0) {
                    throw new InterruptedIOException("Interrupted");
                }
                int n = super.read(bytes, offset, length);
                left -= n;
                return n;
            }
        };
        assertThrows(InterruptedIOException.class, () -> unpack(new Workspace(folder, true), aborted));
        assertEquals(List.of("a"), FileTrees.list(folder));
    }

    /** Virus scanners hold new files open. */
    @Test
    void fileInUseIsRetriedOnWindows() throws Exception {
        try (FileSystem windows = Jimfs.newFileSystem(Configuration.windows())) {
            Path folder = Files.createDirectories(windows.getPath("w"));
            Files.writeString(folder.resolve("f"), "old");
            List<Long> pauses = new ArrayList<>();
            FileCreator inUse = inUse(folder, pauses, 4, pauses::add);
            byte[] tar = tar().file("f", "new").end().bytes();
            unpack(new Workspace(folder, inUse, false), tar);
            assertEquals("new", Files.readString(folder.resolve("f")));
            assertEquals(List.of(10L, 20L, 40L, 80L), pauses);
            pauses.clear();
            Workspace never = new Workspace(folder, inUse(folder, pauses, 1_000, pauses::add), false);
            assertFailsWith("Cannot write f: another process", () -> unpack(never, tar));
            assertEquals(10_000, pauses.stream().mapToLong(Long::longValue).sum(), 500);
            FileCreator interrupted = inUse(folder, List.of(), 1_000, millis -> {
                throw new InterruptedException();
            });
            Workspace aborted = new Workspace(folder, interrupted, false);
            assertThrows(IOException.class, () -> unpack(aborted, tar));
            Thread.interrupted();
            FileCreator waiting = inUse(folder, List.of(), 1_000, millis -> {
                throw new AssertionError("waits although the workspace is closed");
            });
            Workspace closed = new Workspace(folder, waiting, false);
            closed.close();
            assertFailsWith("another process", () -> unpack(closed, tar));
        }
    }

    private interface Waiting {
        void of(long millis) throws InterruptedException;
    }

    private static FileCreator inUse(Path folder, List<Long> pauses, int times, Waiting waiting) {
        return new FileCreator(folder) {
            @Override
            void pause(long millis) throws InterruptedException {
                waiting.of(millis);
            }

            @Override
            OutputStream overwrite(Path path) throws IOException {
                if (pauses.size() < times) {
                    throw new FileSystemException(path.toString(), null, "another process has it open");
                }
                return super.overwrite(path);
            }
        };
    }

    /** A parallel step may create the file. */
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows retries instead")
    void fileRecreatedDuringReplacementIsReplaced() throws Exception {
        Path folder = Files.createDirectory(tmp.resolve("w"));
        Path file = Files.writeString(folder.resolve("f"), "old");
        FileCreator denied = new FileCreator(folder) {
            @Override
            OutputStream overwrite(Path path) throws IOException {
                throw new AccessDeniedException(path.toString());
            }

            @Override
            OutputStream create(Path path, int mode, boolean shared) throws IOException {
                if (!path.equals(file)) {
                    Files.delete(file);
                    Files.writeString(file, "again");
                }
                return super.create(path, mode, shared);
            }
        };
        byte[] tar = tar().file("f", "new").end().bytes();
        unpack(new Workspace(folder, denied, false), tar);
        assertEquals("new", Files.readString(file));
        assertEquals(List.of("f"), FileTrees.list(folder));
    }

    /** Two spellings, or a link and its target, name the same file, which different threads may write. */
    @Test
    void contentsOfSameFileAreNotMixed() throws Exception {
        for (int round = 0; round < 20; round++) {
            Path folder = Files.createDirectory(tmp.resolve("w" + round));
            Files.createDirectories(folder.resolve("lib"));
            Files.createSymbolicLink(folder.resolve("lib64"), Path.of("lib"));
            TarBytes tar = tar();
            for (int i = 0; i < 30; i++) {
                tar.file("lib/f" + i, "a".repeat(60_000)).file("lib64/f" + i, "b".repeat(50_000));
            }
            unpack(folder, true, tar.end().bytes());
            for (int i = 0; i < 30; i++) {
                byte[] bytes = Files.readAllBytes(folder.resolve("lib/f" + i));
                byte[] whole = String.valueOf((char) bytes[0])
                        .repeat(bytes[0] == 'a' ? 60_000 : 50_000)
                        .getBytes();
                assertArrayEquals(whole, bytes);
            }
        }
    }

    /** Both create the same folders, and the files of both exist afterwards. */
    @Test
    void parallelUnpackersIntoOneFolderSucceed() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        CyclicBarrier together = new CyclicBarrier(2);
        try {
            for (int round = 0; round < 20; round++) {
                Path folder = tmp.resolve("w" + round);
                List<Future<TarUnpacker>> both = new ArrayList<>();
                for (String name : List.of("one", "two")) {
                    TarBytes tar = tar();
                    for (int i = 0; i < 20; i++) {
                        tar.file("d" + i + "/" + name, name).file("d" + i + "/same", "same");
                        tar.link("d" + i + "/link", name);
                    }
                    byte[] bytes = tar.end().bytes();
                    Callable<TarUnpacker> task = () -> {
                        together.await();
                        Files.createDirectories(folder);
                        return unpack(new Workspace(folder, false), bytes);
                    };
                    both.add(threads.submit(task));
                }
                for (Future<TarUnpacker> each : both) {
                    assertEquals(List.of(), each.get().warnings());
                }
                for (int i = 0; i < 20; i++) {
                    assertEquals(List.of("link", "one", "same", "two"), FileTrees.list(folder.resolve("d" + i)));
                    assertEquals("same", Files.readString(folder.resolve("d" + i + "/same")));
                }
            }
        } finally {
            threads.shutdown();
        }
    }
}
