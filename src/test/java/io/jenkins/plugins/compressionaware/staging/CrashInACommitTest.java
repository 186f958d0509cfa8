package io.jenkins.plugins.compressionaware.staging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a commit leaves beside the archive, if it ends half way or cannot delete. */
@Timeout(60)
class CrashInACommitTest extends IntoAnArchive {
    @Test
    void whatCannotBeDeletedAfterTheCommitIsNoFailure() throws Exception {
        Map<String, String> later = later();
        BrokenDisk disk = new BrokenDisk((from, to) -> false) {
            @Override
            void delete(Path path) throws IOException {
                throw new AccessDeniedException(path.toString());
            }
        };
        commit(disk);
        assertEquals(later, Trees.describe(archive));
        assertTrue(Leftovers.exist(archive));
        Leftovers.remove(archive);
        assertEquals(later, Trees.describe(archive));
        assertOnlyTheArchive();
        assertFalse(Leftovers.exist(archive));
    }

    /** Stands for a crash before each rename: a copy of everything that is there then. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void earlierCopiesAreThereAfterACrash(boolean links) throws Exception {
        Map<String, String> later = later();
        int[] crashes = {0};
        BrokenDisk disk = new BrokenDisk((from, to) -> {
            try {
                copy(build, tmp.resolve("crash " + ++crashes[0]));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return false;
        });
        disk.links = links;
        try (StagedTree staged = new StagedTree(archive, disk)) {
            fill(staged.folder());
            staged.commit();
            copy(build, tmp.resolve("crash " + ++crashes[0]));
        }
        for (int crash = 1; crash <= crashes[0]; crash++) {
            Path after = tmp.resolve("crash " + crash);
            assertTrue(Leftovers.exist(after.resolve("archive")));
            Leftovers.remove(after.resolve("archive"));
            assertFalse(Leftovers.exist(after.resolve("archive")));
            Map<String, String> found = Trees.describe(after.resolve("archive"));
            if (crash == crashes[0]) {
                assertEquals(later, found, "the commit was over");
            } else {
                found.keySet().removeIf(name -> !earlier.containsKey(name));
                assertEquals(earlier, found, "crash before rename " + crash);
            }
            assertEquals(List.of("archive"), list(after));
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                Files.copy(
                        path,
                        to.resolve(from.relativize(path)),
                        LinkOption.NOFOLLOW_LINKS,
                        StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }
}
