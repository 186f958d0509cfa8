package io.jenkins.plugins.compressionaware.engine.staging;

import static io.jenkins.plugins.compressionaware.testing.FileTrees.list;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

/** What is removed of transfers whose process has died. */
class StagingJournalTest {
    private static final String LEFT = ".314039af-ff04-4a9e-ace9-9b2fc29f0056.partial";
    private static final long QUIET = TimeUnit.MINUTES.toMillis(15);

    @TempDir
    Path tmp;

    private Path folder;
    private Path archive;
    private Path left;
    private StagingJournal notes;

    @BeforeEach
    void prepare() throws Exception {
        folder = tmp.resolve("home/journal");
        archive = Files.createDirectories(tmp.resolve("build")).resolve("archive");
        left = archive.resolveSibling(LEFT);
        notes = new StagingJournal(folder);
    }

    @Test
    void nothingWasEverNoted() {
        notes.deleteAbandoned(0);
        assertFalse(Files.exists(folder));
    }

    @Test
    void noteIsThereWhileATransferIsUnderWay() throws Exception {
        try (StagedArchive staged = new StagedArchive(archive, notes)) {
            Files.writeString(staged.folder().resolve("file"), "");
            assertEquals(1, list(folder).size());
            notes.deleteAbandoned(0);
            assertEquals(1, list(folder).size(), "it is in use");
            assertTrue(Files.exists(staged.folder()));
            staged.commit();
        }
        assertEquals(0, list(folder).size());
    }

    @Test
    void nextProcessRemovesWhatIsLeftAndNothingElse() throws Exception {
        Path elsewhere = Files.createDirectory(tmp.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("file"), "stays");
        Files.createDirectories(left.resolve("a/b"));
        Files.writeString(left.resolve("a/b/c"), "half");
        Files.createSymbolicLink(left.resolve("a/link"), elsewhere);
        Path another = Files.createDirectory(archive.resolveSibling(LEFT.replace('3', '4')));
        noteOfAnEarlierProcess(left.toString());
        notes.deleteAbandoned(0);
        assertFalse(Files.exists(left));
        assertTrue(Files.exists(another), "nobody has noted it");
        assertEquals("stays", Files.readString(elsewhere.resolve("file")));
        assertEquals(0, list(folder).size());
    }

    /** Each folder that is walked through keeps two descriptors, of which a process has 1,024 by default. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aDeepTreeIsRemovedWithFewDescriptors() throws Exception {
        Path deep = left;
        for (int i = 0; i < 1_500; i++) {
            deep = deep.resolve("d");
        }
        Files.createDirectories(deep);
        noteOfAnEarlierProcess(left.toString());
        int most = OpenFiles.most(() -> {
            notes.deleteAbandoned(0);
            return null;
        });
        assertFalse(Files.exists(left));
        assertTrue(most < 500, most + " open at a time");
    }

    @Test
    void notesOfOtherNamesRemoveNothing() throws Exception {
        for (String name : List.of("archive", ".partial", ".x.partial", LEFT + "0", "." + LEFT, LEFT.toUpperCase())) {
            Path other = Files.createDirectories(archive.resolveSibling(name));
            noteOfAnEarlierProcess(other.toString());
            notes.deleteAbandoned(0);
            assertTrue(Files.exists(other), name);
            assertEquals(0, list(folder).size(), name);
        }
    }

    /** A controller that stands by starts while another works in the same home. */
    @Test
    void whatHasChangedOfLateIsOfAProcessThatMayBeAlive() throws Exception {
        Files.createDirectories(left.resolve("a"));
        Path file = Files.writeString(left.resolve("a/file"), "comes");
        noteOfAnEarlierProcess(left.toString());
        notes.deleteAbandoned(QUIET);
        assertTrue(Files.exists(file), "the note is new");
        makeOld(folder);
        makeOld(left);
        Files.setLastModifiedTime(left.resolve("a"), FileTime.fromMillis(System.currentTimeMillis()));
        notes.deleteAbandoned(QUIET);
        assertTrue(Files.exists(file), "a file has come");
        makeOld(left);
        Files.writeString(file, "and grows");
        notes.deleteAbandoned(QUIET);
        assertTrue(Files.exists(file), "a file grows");
        assertEquals(1, list(folder).size());
        makeOld(left);
        Files.setLastModifiedTime(file, FileTime.from(100_000, TimeUnit.DAYS));
        notes.deleteAbandoned(QUIET);
        assertFalse(Files.exists(left), "an artifact may have any time");
        assertEquals(0, list(folder).size());
    }

    private static void makeOld(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                Files.setLastModifiedTime(path, FileTime.fromMillis(System.currentTimeMillis() - QUIET - 1000));
            }
        }
    }

    @Test
    void oneBadNoteDoesNotHideTheOthers() throws Exception {
        Files.createDirectory(left);
        noteOfAnEarlierProcess("");
        noteOfAnEarlierProcess(tmp.resolve("build is gone/" + LEFT).toString());
        noteOfAnEarlierProcess("\0");
        noteOfAnEarlierProcess(left.toString());
        noteOfAnEarlierProcess("\0 too");
        notes.deleteAbandoned(0);
        assertFalse(Files.exists(left));
        assertEquals(2, list(folder).size(), "those that make no sense stay");
    }

    @Test
    void partOfAFileIsRemovedUnlessItIsInUse() throws Exception {
        Path stashes = Files.createDirectories(tmp.resolve("build/stashes"));
        Path partial = PartialPath.create(stashes);
        Path whole = Files.writeString(stashes.resolve("x.tar.zst"), "whole");
        try (StagingJournal.Entry note = notes.open(partial)) {
            Files.writeString(partial, "half");
            notes.deleteAbandoned(0);
            assertTrue(Files.exists(partial), "it is in use");
        }
        assertEquals(1, list(folder).size(), "it was not removed");
        noteOfAnEarlierProcess(whole.toString());
        notes.deleteAbandoned(0);
        assertFalse(Files.exists(partial));
        assertEquals("whole", Files.readString(whole));
        assertEquals(0, list(folder).size());
    }

    @Test
    void noteStaysWithWhatCouldNotBeDeleted() throws Exception {
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
        try (StagedArchive staged = new StagedArchive(archive, notes, files)) {
            Files.writeString(staged.folder().resolve("a"), "");
            stays = Files.writeString(staged.folder().resolve("stays"), "");
            Files.writeString(staged.folder().resolve("z"), "");
        }
        assertEquals(List.of("stays"), List.of(stays.getParent().toFile().list()), "others go all the same");
        assertEquals(1, list(folder).size());
        notes.deleteAbandoned(0);
        assertEquals(0, list(folder).size());
        assertEquals(0, list(archive.getParent()).size());
    }

    @Test
    void transferGoesOnWithoutANote() throws Exception {
        Files.createDirectories(folder.getParent());
        Files.writeString(folder, "no folder");
        try (StagedArchive staged = new StagedArchive(archive, notes)) {
            staged.commit();
        }
        notes.deleteAbandoned(0);
        assertEquals("no folder", Files.readString(folder));
    }

    @Test
    void archiveThatIsNoFolderIsNotOurMatter() throws Exception {
        Files.writeString(archive, "a file");
        noteOfAnEarlierProcess(archive.toString());
        notes.deleteAbandoned(0);
        assertEquals("a file", Files.readString(archive));
    }

    private void noteOfAnEarlierProcess(String path) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("note " + list(folder).size()), path);
    }
}
