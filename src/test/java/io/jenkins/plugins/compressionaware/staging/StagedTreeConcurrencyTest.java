package io.jenkins.plugins.compressionaware.staging;

import static io.jenkins.plugins.compressionaware.testkit.Trees.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Parallel branches of a build archive at the same moment. */
@Timeout(60)
class StagedTreeConcurrencyTest {
    private static final int BRANCHES = 12;
    private static final int STEPS = 5;

    @TempDir
    Path tmp;

    @RepeatedTest(5)
    void nothingGetsLost() throws Exception {
        Path archive = tmp.resolve("archive");
        CyclicBarrier together = new CyclicBarrier(BRANCHES);
        ExecutorService threads = Executors.newFixedThreadPool(BRANCHES);
        List<Future<Void>> branches = new ArrayList<>();
        for (int i = 0; i < BRANCHES; i++) {
            String branch = "branch" + i;
            branches.add(threads.submit(() -> {
                for (int step = 0; step < STEPS; step++) {
                    try (StagedTree staged = new StagedTree(archive, null)) {
                        write(staged.folder(), "shared/by all", branch);
                        write(staged.folder(), "shared/deep/" + step + "/" + branch, branch);
                        write(staged.folder(), branch + "/file" + step, branch);
                        together.await();
                        staged.commit();
                    }
                }
                return null;
            }));
        }
        for (Future<Void> branch : branches) {
            branch.get();
        }
        threads.shutdown();

        try (Stream<Path> all = Files.walk(archive)) {
            assertEquals(
                    1 + 2 * BRANCHES * STEPS, all.filter(Files::isRegularFile).count());
        }
        assertTrue(Files.readString(archive.resolve("shared/by all")).startsWith("branch"));
        assertEquals(1, Trees.list(tmp).size(), "only the archive is left");
    }
}
