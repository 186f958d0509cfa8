package io.jenkins.plugins.compressionaware.engine.delta;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.testing.HangingReads;
import io.jenkins.plugins.compressionaware.testing.History;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** An abort, in the middle of a file that is made of an earlier build. */
class EndingTest {
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
    void heedNothing() {
        Thread.interrupted();
    }

    /** A recipe of some bytes for the whole file, several times. */
    private static InputStream recipe(int times) throws IOException {
        ByteArrayOutputStream recipe = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(recipe);
        out.writeByte(Delta.VERSION);
        Varint.write(out, (long) times * SIZE);
        for (int i = 0; i < times; i++) {
            Varint.write(out, 1 << 1 | 1);
            Varint.write(out, 0);
        }
        out.write(new byte[ChunkHash.LENGTH]);
        return new ByteArrayInputStream(recipe.toByteArray());
    }

    @Test
    void anInterruptEndsTheFile() throws IOException {
        try (ReferenceArchive earlier = DeltaRoundTrip.opened(archive)) {
            ReferenceArchive.DeltaInputStream made = earlier.decode(recipe(2));
            made.readNBytes(1000);
            Thread.currentThread().interrupt();
            assertThrows(InterruptedIOException.class, () -> made.readNBytes(2 * SIZE));
        }
    }

    @Test
    void anIndexThatIsInterruptedIsNone() {
        Thread.currentThread().interrupt();
        assertThrows(InterruptedIOException.class, () -> ChunkIndex.of(archive, DeltaRoundTrip.FACTS));
    }

    @Test
    @Timeout(60)
    @EnabledOnOs(OS.LINUX)
    void theEndDoesNotWaitForADiskThatDoesNotAnswer() throws Exception {
        try (HangingReads reads = new HangingReads(tmp)) {
            assumeTrue(reads.works(), "Untested: reads that hang, since there is no compiler");
            ProcessBuilder builder = new ProcessBuilder(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    Controller.class.getName(),
                    archive.toString()));
            builder.environment().putAll(reads.environment());
            Process controller =
                    builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
            try {
                assertEquals('o', controller.getInputStream().read(), "the file is open");
                reads.hang(archive);
                goOn(controller);
                await().until(reads::wasMet);
                goOn(controller);
                assertEquals('c', controller.getInputStream().read(), "closed, while a read hangs");
                reads.close();
                assertEquals('0', controller.getInputStream().read(), "no file stays open once it has answered");
            } finally {
                controller.destroyForcibly().waitFor();
            }
        }
    }

    private static void goOn(Process controller) throws IOException {
        controller.getOutputStream().write('\n');
        controller.getOutputStream().flush();
    }

    /** Closes an archive while another thread reads it; runs in a JVM of its own. */
    static final class Controller {
        private Controller() {}

        public static void main(String[] args) throws Exception {
            Path archive = Path.of(args[0]).toRealPath();
            ReferenceArchive earlier = DeltaRoundTrip.opened(archive);
            ReferenceArchive.DeltaInputStream made = earlier.decode(recipe(1));
            made.readNBytes(1000);
            say('o');
            System.in.read();
            CountDownLatch ended = new CountDownLatch(1);
            Thread reader = new Thread(() -> {
                try (made) {
                    made.readNBytes(SIZE);
                } catch (IOException e) {
                    ended.countDown();
                }
            });
            reader.start();
            System.in.read();
            Thread closer = new Thread(earlier::close);
            closer.start();
            closer.join(TimeUnit.SECONDS.toMillis(10));
            say(closer.isAlive() ? 'w' : 'c');
            reader.interrupt();
            boolean over = ended.await(30, TimeUnit.SECONDS);
            reader.join();
            say(over ? (char) ('0' + open(archive)) : 'x');
            System.in.read();
        }

        private static void say(char what) {
            System.out.write(what);
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
