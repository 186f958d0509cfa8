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
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of an archive when renames fail. */
@Timeout(60)
class AllOrNothingTest {
    /** A file, a folder and a link arrive; two files and a link are replaced. */
    private static final int STEPS = 6;

    @TempDir
    Path tmp;

    private Path build;
    private Path archive;
    private Map<String, String> earlier;

    @BeforeEach
    void prepare() throws Exception {
        build = Files.createDirectory(tmp.resolve("build"));
        archive = build.resolve("archive");
        write(archive, "kept", "one");
        write(archive, "d/kept", "one");
        write(archive, "d/replaced", "one");
        write(archive, "d/e/replaced too", "one");
        Files.createSymbolicLink(archive.resolve("d/link"), Path.of("replaced"));
        earlier = Trees.describe(archive);
    }

    private static void fill(Path staged) throws IOException {
        write(staged, "new", "second");
        write(staged, "f/g/new", "second");
        write(staged, "d/replaced", "second");
        write(staged, "d/e/replaced too", "second");
        Files.createSymbolicLink(staged.resolve("d/link"), Path.of("kept"));
        Files.createSymbolicLink(staged.resolve("new link"), Path.of("new"));
    }

    private Map<String, String> later() throws IOException {
        Path staged = Files.createDirectory(tmp.resolve("later"));
        fill(staged);
        Map<String, String> later = new TreeMap<>(earlier);
        later.putAll(Trees.describe(staged));
        return later;
    }

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
    void interruptAndNoWayBack() {
        boolean[] interrupted = {false};
        BrokenDisk disk = new BrokenDisk((from, to) -> {
            boolean broken = to.startsWith(archiveReal()) && to.endsWith("d/replaced");
            if (broken && !interrupted[0]) {
                interrupted[0] = true;
                Thread.currentThread().interrupt();
            }
            return broken;
        });
        disk.links = false;
        IOException failure = assertThrows(IOException.class, () -> commit(disk));
        assertTrue(Thread.interrupted(), "the interrupt is kept for the caller");
        assertTrue(failure.getMessage().startsWith("Interrupted. Is missing now: d/replaced. "), failure.getMessage());
        assertInstanceOf(InterruptedException.class, failure.getCause());
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
    void saysWhatHasArrivedWhenThereIsNoWayBack() throws Exception {
        boolean[] back = {false};
        BrokenDisk disk = new BrokenDisk((from, to) -> {
            back[0] |= to.toString().endsWith("-replaced");
            return to.toString().endsWith("-replaced")
                    || back[0] && (from.endsWith("new link") || to.endsWith("d/replaced"));
        });
        disk.links = false;
        IOException failure = assertThrows(IOException.class, () -> commit(disk));
        Path kept = onlyOther();
        assertTrue(kept.getFileName().toString().endsWith("-kept"), kept.toString());
        String message = failure.getMessage();
        assertTrue(message.contains("Has arrived and cannot be taken back: "), message);
        assertTrue(message.contains("new link"), message);
        assertTrue(message.contains("d/replaced"), message);
        assertTrue(
                message.endsWith(" Earlier copies are in " + kept + ". All else is as it was before this step."),
                message);
        assertEquals("one", Files.readString(kept.resolve("d/replaced")));
        Map<String, String> expected = new TreeMap<>(earlier);
        Map<String, String> found = Trees.describe(archive);
        for (String name : List.of("new link", "d/replaced")) {
            expected.remove(name);
            assertTrue(found.remove(name) != null, name);
        }
        assertEquals(expected, found);
        Leftovers.remove(archive);
        assertTrue(Files.exists(kept), "nothing removes it");
    }

    @Test
    void saysWhatIsMissingWhenThereIsNoWayBack() throws Exception {
        BrokenDisk disk = new BrokenDisk((from, to) -> to.startsWith(archiveReal()) && to.endsWith("d/replaced"));
        disk.links = false;
        IOException failure = assertThrows(IOException.class, () -> commit(disk));
        Path kept = onlyOther();
        // the rename aside went well, neither of the two could come
        assertEquals("one", Files.readString(kept.resolve("d/replaced")));
        assertTrue(
                failure.getMessage()
                        .endsWith(" Is missing now: d/replaced. Earlier copies are in " + kept
                                + ". All else is as it was before this step."),
                failure.getMessage());
    }

    @Test
    void whatNeverLeftNeedNotComeBack() throws Exception {
        BrokenDisk disk = new BrokenDisk((from, to) -> to.startsWith(archiveReal()) && to.endsWith("d/replaced"));
        IOException failure = assertThrows(IOException.class, () -> commit(disk));
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

    private Path archiveReal() {
        try {
            return archive.toRealPath();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void commit(Disk disk) throws IOException, InterruptedException {
        try (StagedTree staged = new StagedTree(archive, disk)) {
            fill(staged.folder());
            staged.commit();
        }
    }

    private static void write(Path root, String name, String content) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
        // the same for all, as times are compared
        Files.setLastModifiedTime(file, FileTime.fromMillis(0));
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

    private void assertOnlyTheArchive() throws IOException {
        assertEquals(List.of("archive"), list(build));
    }

    private Path onlyOther() throws IOException {
        List<String> names = list(build);
        assertEquals(2, names.size(), names.toString());
        return build.toRealPath().resolve(names.get(0));
    }

    private static List<String> list(Path folder) throws IOException {
        try (Stream<Path> children = Files.list(folder)) {
            return children.map(child -> child.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }
}
