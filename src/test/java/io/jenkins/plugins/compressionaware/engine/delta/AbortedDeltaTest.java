package io.jenkins.plugins.compressionaware.engine.delta;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.testing.HangingReads;
import io.jenkins.plugins.compressionaware.testing.History;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Aborts while a file is rebuilt from the reference build. */
class AbortedDeltaTest {
    private static final int SIZE = 4 << 20;

    @TempDir
    Path tmp;

    private Path archive;

    @BeforeEach
    void archive() throws IOException {
        archive = Files.createDirectory(tmp.resolve("archive"));
        Files.write(archive.resolve("file"), History.noise(1, SIZE));
    }

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    /** Returns a delta of a few bytes that repeats the whole file. */
    private static InputStream delta(int times) throws IOException {
        DeltaBuilder delta = new DeltaBuilder((long) times * SIZE, new byte[ChunkHash.LENGTH]);
        for (int i = 0; i < times; i++) {
            delta.chunks(0, 1);
        }
        return new ByteArrayInputStream(delta.get());
    }

    @Test
    void interruptStopsDecoding() throws IOException {
        try (ReferenceArchive reference = DeltaRoundTrip.opened(archive)) {
            ReferenceArchive.DeltaInputStream decoded = reference.decode(delta(2));
            decoded.readNBytes(1000);
            Thread.currentThread().interrupt();
            assertThrows(InterruptedIOException.class, () -> decoded.readNBytes(2 * SIZE));
        }
    }

    @Test
    void interruptStopsIndexing() {
        Thread.currentThread().interrupt();
        assertThrows(InterruptedIOException.class, () -> ChunkIndex.of(archive, DeltaRoundTrip.STATS));
    }

    @Test
    @Timeout(60)
    @EnabledOnOs(OS.LINUX)
    void closeDoesNotWaitForHungDisk() throws Exception {
        try (HangingReads reads = new HangingReads(tmp)) {
            assumeTrue(reads.works(), "Untested: hung reads, because there is no compiler");
            ProcessBuilder builder = Jvm.builder(Controller.class, archive.toString());
            builder.environment().putAll(reads.environment());
            Process controller =
                    builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
            try {
                assertEquals('o', controller.getInputStream().read(), "the file is open");
                reads.hang(archive);
                resume(controller);
                await().until(reads::wasMet);
                resume(controller);
                assertEquals('c', controller.getInputStream().read(), "closed, while a read hangs");
                reads.close();
                assertEquals('0', controller.getInputStream().read(), "no file stays open after the read returns");
            } finally {
                controller.destroyForcibly().waitFor();
            }
        }
    }

    private static void resume(Process controller) throws IOException {
        controller.getOutputStream().write('\n');
        controller.getOutputStream().flush();
    }

    /** Closes an archive while another thread reads it, in a separate JVM. */
    static final class Controller {
        private Controller() {}

        public static void main(String[] args) throws Exception {
            Path archive = Path.of(args[0]).toRealPath();
            ReferenceArchive reference = DeltaRoundTrip.opened(archive);
            ReferenceArchive.DeltaInputStream decoded = reference.decode(delta(1));
            decoded.readNBytes(1000);
            print('o');
            System.in.read();
            CountDownLatch ended = new CountDownLatch(1);
            Thread reader = new Thread(() -> {
                try (decoded) {
                    decoded.readNBytes(SIZE);
                } catch (IOException e) {
                    ended.countDown();
                }
            });
            reader.start();
            System.in.read();
            Thread closer = new Thread(reference::close);
            closer.start();
            closer.join(TimeUnit.SECONDS.toMillis(10));
            print(closer.isAlive() ? 'w' : 'c');
            reader.interrupt();
            boolean over = ended.await(30, TimeUnit.SECONDS);
            reader.join();
            print(over ? (char) ('0' + open(archive)) : 'x');
            System.in.read();
        }

        private static void print(char value) {
            System.out.write(value);
            System.out.flush();
        }

        private static int open(Path folder) throws IOException {
            int open = 0;
            try (var all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
                for (Path descriptor : all) {
                    open += Files.isSymbolicLink(descriptor)
                                    && Files.readSymbolicLink(descriptor).startsWith(folder)
                            ? 1
                            : 0;
                }
            }
            return open;
        }
    }
}
