package io.jenkins.plugins.compressionaware.staging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of an archive when renames fail. */
@Timeout(60)
class AllOrNothingTest extends IntoAnArchive {
    /** A file, a folder and a link arrive; two files and a link are replaced. */
    private static final int STEPS = 6;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void asBeforeWhicheverRenameFailsForEver(boolean links) throws Exception {
        // without hard links each replaced thing takes two renames; with them only the link does. One more ends the
        // commit
        int renames = STEPS + (links ? 1 : 3) + 1;
        for (int broken = 1; broken <= renames; broken++) {
            Set<Path> victims = new HashSet<>();
            int number = broken;
            int[] count = {0};
            BrokenDisk disk = new BrokenDisk((from, to) -> {
                if (++count[0] == number) {
                    victims.add(from);
                }
                return victims.contains(from) && count[0] < 1000;
            });
            disk.links = links;
            IOException failure = assertThrows(IOException.class, () -> commit(disk));
            assertEquals(earlier, Trees.describe(archive), "rename " + broken + ": " + failure);
            assertTrue(failure.getMessage().startsWith("Cannot archive "), failure.getMessage());
            assertTrue(
                    failure.getMessage()
                            .endsWith(": AccessDeniedException. The archive is as it was before this step."),
                    failure.getMessage());
            assertInstanceOf(AccessDeniedException.class, failure.getCause());
            assertOnlyTheArchive();
        }
        BrokenDisk healthy = new BrokenDisk((from, to) -> false);
        healthy.links = links;
        commit(healthy);
        assertEquals(renames, healthy.renames);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void asAfterWhenWhatFailsWorksLater(boolean links) throws Exception {
        Map<String, String> later = later();
        BrokenDisk disk = BrokenDisk.at(number -> number % 4 != 0);
        disk.links = links;
        commit(disk);
        assertEquals(later, Trees.describe(archive));
        assertOnlyTheArchive();
        assertEquals(List.of(10L, 20L, 40L, 10L), disk.pauses.subList(0, 4));
    }

    @Test
    void patienceEndsAfterTenSeconds() {
        BrokenDisk disk = new BrokenDisk((from, to) -> to.endsWith("new"));
        assertThrows(IOException.class, () -> commit(disk));
        long waited = disk.pauses.stream().mapToLong(Long::longValue).sum();
        assertTrue(waited >= 10_000 && waited <= 10_500, "waited " + waited + " ms");
        assertEquals(500, disk.pauses.get(disk.pauses.size() - 1));
    }

    @Test
    void firstArchiveIsPatientToo() throws Exception {
        Path other = build.resolve("other");
        BrokenDisk disk = BrokenDisk.at(number -> number < 3);
        try (StagedTree staged = new StagedTree(other, disk)) {
            write(staged.folder(), "a", "x");
            staged.commit();
        }
        assertEquals("x", Files.readString(other.resolve("a")));
        assertEquals(List.of(10L, 20L), disk.pauses);
        BrokenDisk broken = new BrokenDisk((from, to) -> true);
        Path third = build.resolve("third");
        try (StagedTree staged = new StagedTree(third, broken)) {
            IOException failure = assertThrows(IOException.class, staged::commit);
            assertEquals(
                    "Cannot archive into " + third.getParent().toRealPath().resolve("third")
                            + ": AccessDeniedException",
                    failure.getMessage());
        }
        assertFalse(Files.exists(third));
    }

    @Test
    void whatDoesNotPassIsNotTriedAgain() {
        BrokenDisk disk = new BrokenDisk((from, to) -> false) {
            @Override
            void rename(Path from, Path to) throws IOException {
                if (to.endsWith("new")) {
                    throw new NoSuchFileException(from.toString());
                }
                super.rename(from, to);
            }
        };
        assertThrows(IOException.class, () -> commit(disk));
        assertEquals(List.of(), disk.pauses);
    }

    @Test
    void interruptWhileItWaitsLeavesTheArchiveAsBefore() throws Exception {
        BrokenDisk disk = new BrokenDisk((from, to) -> {
            if (to.endsWith("d/replaced") && from.toString().contains("archive-")) {
                Thread.currentThread().interrupt();
                return !from.toString().contains("-before");
            }
            return false;
        });
        assertThrows(InterruptedException.class, () -> commit(disk));
        Thread.interrupted();
        assertEquals(earlier, Trees.describe(archive));
        assertOnlyTheArchive();
    }

    @Test
    void interruptDoesNotStopTheWayBack() throws Exception {
        AtomicReference<Path> back = new AtomicReference<>();
        BrokenDisk disk = new BrokenDisk((from, to) -> {
            if (from.startsWith(archiveReal())) {
                // on the way back: fails once, and somebody interrupts
                if (back.getAndSet(from) == null) {
                    Thread.currentThread().interrupt();
                    return true;
                }
                return false;
            }
            return to.endsWith("d/replaced") && !from.toString().contains("-before");
        });
        IOException failure = assertThrows(IOException.class, () -> commit(disk));
        assertTrue(Thread.interrupted(), "the interrupt is kept for the caller");
        assertTrue(failure.getMessage().endsWith("as it was before this step."), failure.getMessage());
        assertEquals(earlier, Trees.describe(archive));
        assertOnlyTheArchive();
    }

    @Test
    void replacedFileIsThereAtEveryMoment() throws Exception {
        BrokenDisk disk = new BrokenDisk((from, to) -> {
            assertTrue(Files.exists(archiveReal().resolve("d/replaced")));
            return false;
        });
        commit(disk);
    }
}
