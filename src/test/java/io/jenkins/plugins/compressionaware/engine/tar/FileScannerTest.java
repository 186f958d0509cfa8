package io.jenkins.plugins.compressionaware.engine.tar;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.testing.RefusingExecutor;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@ParameterizedClass
@ValueSource(ints = {1, 2, 16})
class FileScannerTest {
    /** Number of files in parallel. */
    @Parameter
    private int readers;

    @TempDir
    private Path tmp;

    private FileScanner scanner(List<String> names, Executor executor) {
        return new FileScanner(tmp, names.iterator(), executor, UnpackHarness.always(readers));
    }

    private List<String> files(int count) throws Exception {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            names.add("file" + i);
            Files.writeString(tmp.resolve("file" + i), "content " + i);
        }
        return names;
    }

    /** Needs more permits than exist, so each permit must be released. */
    @Test
    void filesAreReturnedInListOrder() throws Exception {
        List<String> names = files(300);
        Random random = new Random(1);
        Executor slow = task -> UnpackHarness.helpers().executor().execute(() -> {
            try {
                Thread.sleep(random.nextInt(3));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            task.run();
        });
        try (FileScanner scanner = scanner(names, slow)) {
            for (String name : names) {
                ScannedFile file = scanner.next();
                assertEquals(tmp.resolve(name), file.path());
                assertArrayEquals(Files.readAllBytes(tmp.resolve(name)), file.content());
            }
        }
    }

    @Test
    void missingFileFailsInItsTurn() throws Exception {
        List<String> names = files(20);
        Files.delete(tmp.resolve("file7"));
        try (FileScanner scanner = scanner(names, UnpackHarness.helpers().executor())) {
            for (int i = 0; i < 7; i++) {
                assertEquals("file" + i, scanner.next().path().getFileName().toString());
            }
            assertThrows(NoSuchFileException.class, scanner::next);
            assertEquals("file8", scanner.next().path().getFileName().toString());
        }
    }

    @Test
    void contentOfLargeFilesAndLinksIsNotRead() throws Exception {
        Files.write(tmp.resolve("large"), new byte[ScannedFile.MAX_PRELOADED_BYTES + 1]);
        Files.createSymbolicLink(tmp.resolve("link"), Path.of("large"));
        try (FileScanner scanner =
                scanner(List.of("large", "link"), UnpackHarness.helpers().executor())) {
            assertNull(scanner.next().content());
            ScannedFile link = scanner.next();
            assertNull(link.content());
            assertEquals("large", link.target());
        }
    }

    @Test
    void callerReadsFilesIfThreadsAreRefused() throws Exception {
        List<String> names = files(100);
        try (FileScanner scanner = scanner(names, RefusingExecutor::refuse)) {
            for (String name : names) {
                assertEquals(tmp.resolve(name), scanner.next().path());
            }
        }
    }

    @Test
    void interruptDoesNotWaitForReaders() throws Exception {
        List<String> names = files(40);
        for (int i = 0; i < 100; i++) {
            // a task that never runs must not keep its permit, or none would be left
            try (FileScanner scanner = scanner(names, task -> {})) {
                if (readers > 1) {
                    Thread.currentThread().interrupt();
                    assertThrows(InterruptedIOException.class, scanner::next);
                    assertEquals(true, Thread.interrupted());
                }
            }
        }
    }

    /** All transfers share the permits. */
    @Test
    void outOfMemoryReleasesPermits() throws Exception {
        Iterator<String> full = new Iterator<>() {
            @Override
            public boolean hasNext() {
                return true;
            }

            @Override
            public String next() {
                throw new OutOfMemoryError("Java heap space");
            }
        };
        for (int i = 0; i < 100; i++) {
            try (FileScanner scanner =
                    new FileScanner(tmp, full, RefusingExecutor::refuse, UnpackHarness.always(readers))) {
                assertThrows(OutOfMemoryError.class, scanner::next);
            }
        }
        AtomicInteger ahead = new AtomicInteger();
        try (FileScanner scanner = scanner(files(2), task -> {
            ahead.incrementAndGet();
            task.run();
        })) {
            scanner.next();
        }
        assertEquals(readers == 1 ? 0 : 2, ahead.get());
    }

    /** An executor may lose a task that it has accepted. */
    @Test
    void callerRunsLostTask() throws Exception {
        try (FileScanner scanner = scanner(files(1), task -> {})) {
            assertEquals("file0", scanner.next().path().getFileName().toString());
        }
    }
}
