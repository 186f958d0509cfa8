package io.jenkins.plugins.compressionaware.engine.staging;

import static io.jenkins.plugins.compressionaware.testing.FileTrees.list;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.OpenFiles;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Deletes the partial files of transfers whose process has died. */
class StagingJournalTest {
    private static final String LEFT = ".314039af-ff04-4a9e-ace9-9b2fc29f0056.partial";
    private static final long QUIET = TimeUnit.MINUTES.toMillis(15);

    @TempDir
    Path tmp;

    private Path folder;
    private Path archive;
    private Path left;
    private StagingJournal journal;

    @BeforeEach
    void prepare() throws Exception {
        folder = tmp.resolve("home/journal");
        archive = Files.createDirectories(tmp.resolve("build")).resolve("archive");
        left = archive.resolveSibling(LEFT);
        journal = new StagingJournal(folder, tmp);
    }

    @Test
    void missingJournalIsIgnored() {
        journal.deleteAbandoned(0);
        assertFalse(Files.exists(folder));
    }

    @Test
    void entryExistsWhileTransferRuns() throws Exception {
        try (StagedArchive staged = new StagedArchive(archive, journal)) {
            Files.writeString(staged.folder().resolve("file"), "");
            assertEquals(1, list(folder).size());
            journal.deleteAbandoned(0);
            assertEquals(1, list(folder).size(), "it is in use");
            assertTrue(Files.exists(staged.folder()));
            staged.commit();
        }
        assertEquals(0, list(folder).size());
    }

    @Test
    void nextProcessDeletesOnlyRecordedFiles() throws Exception {
        Path elsewhere = Files.createDirectory(tmp.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("file"), "stays");
        Files.createDirectories(left.resolve("a/b"));
        Files.writeString(left.resolve("a/b/c"), "half");
        Files.createSymbolicLink(left.resolve("a/link"), elsewhere);
        Path another = Files.createDirectory(archive.resolveSibling(LEFT.replace('3', '4')));
        addEntryOfEarlierProcess(left.toString());
        journal.deleteAbandoned(0);
        assertFalse(Files.exists(left));
        assertTrue(Files.exists(another), "it is not in the journal");
        assertEquals("stays", Files.readString(elsewhere.resolve("file")));
        assertEquals(0, list(folder).size());
    }

    /** A walk keeps two descriptors open for each level, and a process has 1,024 by default. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void deepTreeIsDeletedWithFewDescriptors() throws Exception {
        Path deep = left;
        for (int i = 0; i < 1_500; i++) {
            deep = deep.resolve("d");
        }
        Files.createDirectories(deep);
        addEntryOfEarlierProcess(left.toString());
        int most = OpenFiles.most(() -> {
            journal.deleteAbandoned(0);
            return null;
        });
        assertFalse(Files.exists(left));
        assertTrue(most < 500, most + " open at a time");
    }

    @Test
    void entriesWithOtherNamesDeleteNothing() throws Exception {
        for (String name : List.of("archive", ".partial", ".x.partial", LEFT + "0", "." + LEFT, LEFT.toUpperCase())) {
            Path other = Files.createDirectories(archive.resolveSibling(name));
            addEntryOfEarlierProcess(other.toString());
            journal.deleteAbandoned(0);
            assertTrue(Files.exists(other), name);
            assertEquals(0, list(folder).size(), name);
        }
    }

    /** A standby controller may start while another one uses the same home. */
    @Test
    void recentlyChangedFilesAreKept() throws Exception {
        Files.createDirectories(left.resolve("a"));
        Path file = Files.writeString(left.resolve("a/file"), "comes");
        addEntryOfEarlierProcess(left.toString());
        journal.deleteAbandoned(QUIET);
        assertTrue(Files.exists(file), "the entry is new");
        makeOld(folder);
        makeOld(left);
        Files.setLastModifiedTime(left.resolve("a"), FileTime.fromMillis(System.currentTimeMillis()));
        journal.deleteAbandoned(QUIET);
        assertTrue(Files.exists(file), "a file was added");
        makeOld(left);
        Files.writeString(file, "and grows");
        journal.deleteAbandoned(QUIET);
        assertTrue(Files.exists(file), "a file grows");
        assertEquals(1, list(folder).size());
        makeOld(left);
        Files.setLastModifiedTime(file, FileTime.from(100_000, TimeUnit.DAYS));
        journal.deleteAbandoned(QUIET);
        assertFalse(Files.exists(left), "an artifact may have any time");
        assertEquals(0, list(folder).size());
    }

    private static void makeOld(Path folder) throws IOException {
        makeOld(folder, QUIET + 1000);
    }

    private static void makeOld(Path folder, long millis) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                Files.setLastModifiedTime(path, FileTime.fromMillis(System.currentTimeMillis() - millis));
            }
        }
    }

    @Test
    void invalidEntryDoesNotHideOthers() throws Exception {
        Files.createDirectory(left);
        addEntryOfEarlierProcess("");
        addEntryOfEarlierProcess(tmp.resolve("build is gone/" + LEFT).toString());
        addEntryOfEarlierProcess("\0");
        addEntryOfEarlierProcess(left.toString());
        addEntryOfEarlierProcess("\0 too");
        journal.deleteAbandoned(0);
        assertFalse(Files.exists(left));
        assertEquals(2, list(folder).size(), "invalid entries stay");
    }

    @Test
    void partialFileIsDeletedUnlessInUse() throws Exception {
        Path stashes = Files.createDirectories(tmp.resolve("build/stashes"));
        Path partial = PartialPath.create(stashes);
        Path whole = Files.writeString(stashes.resolve("x.tar.zst"), "whole");
        try (StagingJournal.Entry entry = journal.open(partial)) {
            Files.writeString(partial, "half");
            journal.deleteAbandoned(0);
            assertTrue(Files.exists(partial), "it is in use");
        }
        assertEquals(1, list(folder).size(), "it was not removed");
        addEntryOfEarlierProcess(whole.toString());
        journal.deleteAbandoned(0);
        assertFalse(Files.exists(partial));
        assertEquals("whole", Files.readString(whole));
        assertEquals(0, list(folder).size());
    }

    @Test
    void deletedBuildLeavesNoEntryOfItsStash() throws Exception {
        Path build = tmp.resolve("builds/1");
        Path partial = PartialPath.create(Files.createDirectories(build.resolve("stashes")));
        try (StagingJournal.Entry entry = journal.open(partial)) {
            Files.writeString(partial, "half");
            FileTrees.delete(build);
        }
        assertEquals(0, list(folder).size());
    }

    @Test
    void entryStaysIfDeletionFails() throws Exception {
        FileOperations files = new FileOperations() {
            @Override
            void delete(Path path) throws IOException {
                if (path.endsWith("stays") || Files.isDirectory(path)) {
                    throw new AccessDeniedException(path.toString());
                }
                super.delete(path);
            }
        };
        Path stays;
        try (StagedArchive staged = new StagedArchive(StagedArchive.real(archive), journal, files)) {
            Files.writeString(staged.folder().resolve("a"), "");
            stays = Files.writeString(staged.folder().resolve("stays"), "");
            Files.writeString(staged.folder().resolve("z"), "");
        }
        assertEquals(List.of("stays"), List.of(stays.getParent().toFile().list()), "the other files are deleted");
        assertEquals(1, list(folder).size());
        journal.deleteAbandoned(0);
        assertEquals(0, list(folder).size());
        assertEquals(0, list(archive.getParent()).size());
    }

    @Test
    void transferSucceedsWithoutJournal() throws Exception {
        Files.createDirectories(folder.getParent());
        Files.writeString(folder, "no folder");
        try (StagedArchive staged = new StagedArchive(archive, journal)) {
            staged.commit();
        }
        journal.deleteAbandoned(0);
        assertEquals("no folder", Files.readString(folder));
    }

    /** The disk of Jenkins' home is full when an entry is written, or the file has no place to go. */
    @Test
    void entryThatCannotBeWrittenLeavesNothing() throws Exception {
        Files.createDirectories(folder);
        try (StagedArchive staged = new StagedArchive(archive, journal)) {
            Path entry = folder.resolve(list(folder).get(0));
            Files.delete(entry);
            FileTrees.write(entry, "in/the way", "");
            FileTrees.write(archive, "d/old", "");
            FileTrees.write(staged.folder(), "d/new", "");
            staged.commit();
            assertEquals(List.of(entry.getFileName().toString()), list(folder));
        }
    }

    /** A circle of links fails like a disk that does not answer: the path neither exists nor does not exist. */
    @Test
    void entryStaysWhileDiskFailsOrIsAway() throws Exception {
        Path disk = archive.getParent();
        Path away = tmp.resolve("away");
        try (StagedArchive staged = new StagedArchive(archive, journal)) {
            Files.move(disk, away);
            Files.createSymbolicLink(disk, disk);
        }
        assertEquals(1, list(folder).size(), "the transfer has ended");
        journal.deleteAbandoned(0);
        assertEquals(1, list(folder).size(), "after the next start");
        Files.delete(disk);
        Files.move(away, disk);
        journal.deleteAbandoned(0);
        assertEquals(0, list(disk).size());
        assertEquals(0, list(folder).size());

        Path job = tmp.resolve("disk/job");
        addEntryOfEarlierProcess(job.resolve("1").resolve(LEFT).toString());
        journal.deleteAbandoned(0);
        assertEquals(1, list(folder).size(), "the folder of the job is missing");
        makeOld(folder, TimeUnit.DAYS.toMillis(31));
        journal.deleteAbandoned(0);
        assertEquals(0, list(folder).size(), "the job has been deleted");
    }

    /** An empty path is the working folder, and all of it would be searched for recent changes. */
    @Test
    void emptyEntryIsRemovedWithoutSearch() throws Exception {
        addEntryOfEarlierProcess("");
        makeOld(folder, TimeUnit.DAYS.toMillis(20_000));
        journal.deleteAbandoned(TimeUnit.DAYS.toMillis(10_000));
        assertEquals(0, list(folder).size());
    }

    private void addEntryOfEarlierProcess(String path) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("entry " + list(folder).size()), path);
    }
}
