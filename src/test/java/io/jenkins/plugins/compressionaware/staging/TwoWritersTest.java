package io.jenkins.plugins.compressionaware.staging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two who write the same folders at the same moment, without a lock that both know: neither fails, and no file is lost. */
@Timeout(60)
class TwoWritersTest {
    private static final int ROUNDS = 60;
    private static final int FOLDERS = 20;

    @TempDir
    Path tmp;

    private final ExecutorService threads = Executors.newFixedThreadPool(2);
    private final CyclicBarrier together = new CyclicBarrier(2);

    @AfterEach
    void stop() {
        threads.shutdown();
    }

    /** As another plugin does, or a script on the controller. An empty folder that it has made may be replaced in its hands, but nothing that is in one. */
    @Test
    void archiveAndSomebodyWhoWritesInPlace() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            Path archive = tmp.resolve(round + "/archive");
            Files.createDirectories(round % 2 == 0 ? archive : archive.getParent());
            both(() -> archive(archive), () -> {
                together.await();
                for (int i = 0; i < FOLDERS; i++) {
                    while (!isWritten(archive, i, "two")) {}
                }
                return null;
            });
            assertAllThere(archive);
        }
    }

    private void both(Callable<Void> one, Callable<Void> two) throws Exception {
        List<Future<Void>> both = new ArrayList<>(List.of(threads.submit(one), threads.submit(two)));
        for (Future<Void> each : both) {
            each.get();
        }
    }

    private Void archive(Path archive) throws Exception {
        try (StagedTree tree = new StagedTree(archive, null)) {
            fill(tree.folder(), "one");
            together.await();
            tree.commit();
        }
        return null;
    }

    private static void fill(Path root, String name) throws IOException {
        for (int i = 0; i < FOLDERS; i++) {
            write(root, i, name);
        }
    }

    private static void write(Path root, int folder, String name) throws IOException {
        Files.writeString(Files.createDirectories(root.resolve("d" + folder)).resolve(name), name);
    }

    /** False if the folder that was empty is another one by now: that may happen more than once. */
    private static boolean isWritten(Path root, int folder, String name) throws IOException {
        try {
            write(root, folder, name);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static void assertAllThere(Path root) throws IOException {
        for (int i = 0; i < FOLDERS; i++) {
            assertEquals(2, Trees.list(root.resolve("d" + i)).size(), root + ", folder " + i);
        }
        try (Stream<Path> left = Files.list(root.getParent())) {
            assertTrue(left.noneMatch(path -> path.getFileName().toString().startsWith(".")));
        }
    }
}
