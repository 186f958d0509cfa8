package io.jenkins.plugins.compressionaware.engine.staging;

import static io.jenkins.plugins.compressionaware.testing.FileTrees.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Writes to the same folders of an archive from several threads, without failures or lost files. */
@Timeout(60)
class StagedArchiveConcurrencyTest {
    private static final int BRANCHES = 12;
    private static final int STEPS = 5;
    private static final int ROUNDS = 60;
    private static final int FOLDERS = 20;

    @TempDir
    Path tmp;

    @AutoClose("shutdown")
    private final ExecutorService threads = Executors.newFixedThreadPool(BRANCHES);

    @RepeatedTest(5)
    void parallelBranchesLoseNoFiles() throws Exception {
        Path archive = tmp.resolve("archive");
        CyclicBarrier together = new CyclicBarrier(BRANCHES);
        List<Future<Void>> branches = new ArrayList<>();
        for (int i = 0; i < BRANCHES; i++) {
            String branch = "branch" + i;
            branches.add(threads.submit(() -> {
                for (int step = 0; step < STEPS; step++) {
                    try (StagedArchive staged = new StagedArchive(archive, null)) {
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
        try (Stream<Path> all = Files.walk(archive)) {
            assertEquals(
                    1 + 2 * BRANCHES * STEPS, all.filter(Files::isRegularFile).count());
        }
        assertTrue(Files.readString(archive.resolve("shared/by all")).startsWith("branch"));
        assertEquals(1, FileTrees.list(tmp).size(), "only the archive is left");
    }

    /** Another plugin or a script may write in place. The commit may replace its empty folders, but never its files. */
    @Test
    void filesWrittenInPlaceDuringCommitAreKept() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            Path archive = tmp.resolve(round + "/archive");
            Files.createDirectories(round % 2 == 0 ? archive : archive.getParent());
            CyclicBarrier together = new CyclicBarrier(2);
            Future<Void> archiving = threads.submit(() -> {
                try (StagedArchive staged = new StagedArchive(archive, null)) {
                    for (int i = 0; i < FOLDERS; i++) {
                        write(staged.folder(), "d" + i + "/one", "one");
                    }
                    together.await();
                    staged.commit();
                }
                return null;
            });
            together.await();
            for (int i = 0; i < FOLDERS; i++) {
                while (!isWritten(archive, "d" + i + "/two")) {}
            }
            archiving.get();
            for (int i = 0; i < FOLDERS; i++) {
                assertEquals(
                        List.of("one", "two"), FileTrees.list(archive.resolve("d" + i)), archive + ", folder " + i);
            }
            assertEquals(List.of("archive"), FileTrees.list(archive.getParent()));
        }
    }

    /** Returns false if the commit has replaced the empty folder, which may happen more than once. */
    private static boolean isWritten(Path root, String name) throws IOException {
        try {
            write(root, name, "two");
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }
}
