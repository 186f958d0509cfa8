package io.jenkins.plugins.compressionaware.staging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NotesTest {
    private static final String LEFT = ".archive-314039af-ff04-4a9e-ace9-9b2fc29f0056";

    @TempDir
    Path tmp;

    private Path folder;
    private Path archive;
    private Notes notes;

    @BeforeEach
    void prepare() throws Exception {
        folder = tmp.resolve("home/under-way");
        archive = Files.createDirectories(tmp.resolve("build")).resolve("archive");
        notes = new Notes(folder);
    }

    @Test
    void nothingWasEverNoted() throws Exception {
        notes.cleanUp();
        assertFalse(Files.exists(folder));
    }

    @Test
    void noteIsThereWhileATransferIsUnderWay() throws Exception {
        try (Notes.Note note = notes.begin(archive);
                StagedTree staged = new StagedTree(archive)) {
            assertEquals(1, count(folder));
            notes.cleanUp();
            assertEquals(1, count(folder), "it is in use");
            assertTrue(Files.exists(staged.folder()));
        }
        assertEquals(0, count(folder));
    }

    @Test
    void nextProcessRemovesWhatIsLeft() throws Exception {
        Path left = Files.createDirectory(archive.resolveSibling(LEFT));
        noteOfAnEarlierProcess(archive.toString());
        notes.cleanUp();
        assertFalse(Files.exists(left));
        assertEquals(0, count(folder));
    }

    @Test
    void oneBadNoteDoesNotHideTheOthers() throws Exception {
        Path left = Files.createDirectory(archive.resolveSibling(LEFT));
        noteOfAnEarlierProcess("");
        noteOfAnEarlierProcess(tmp.resolve("build is gone/archive").toString());
        noteOfAnEarlierProcess("\0");
        noteOfAnEarlierProcess(archive.toString());
        noteOfAnEarlierProcess("\0 too");
        notes.cleanUp();
        assertFalse(Files.exists(left));
        assertEquals(2, count(folder), "those that make no sense stay");
    }

    @Test
    void nextTransferOfTheBuildRemovesWhatIsLeft() throws Exception {
        Path left = Files.createDirectory(archive.resolveSibling(LEFT));
        try (Notes.Note note = notes.begin(archive)) {
            assertFalse(Files.exists(left));
        }
    }

    @Test
    void partOfAFileIsRemovedUnlessItIsInUse() throws Exception {
        Path stashes = Files.createDirectories(tmp.resolve("build/stashes"));
        Path partial = PartialFile.in(stashes);
        Path whole = Files.writeString(stashes.resolve("x.tar.zst"), "whole");
        try (Notes.Note note = notes.begin(partial)) {
            Files.writeString(partial, "half");
            notes.cleanUp();
            assertTrue(Files.exists(partial), "it is in use");
        }
        assertEquals(1, count(folder), "it was not removed");
        noteOfAnEarlierProcess(whole.toString());
        notes.cleanUp();
        assertFalse(Files.exists(partial));
        assertEquals("whole", Files.readString(whole));
        assertEquals(0, count(folder));
    }

    @Test
    void noteStaysWithWhatCouldNotBeDeleted() throws Exception {
        Disk disk = new Disk() {
            @Override
            void delete(Path path) throws IOException {
                throw new AccessDeniedException(path.toString());
            }
        };
        try (Notes.Note note = notes.begin(archive)) {
            new StagedTree(archive, disk).close();
        }
        assertEquals(1, count(folder));
        notes.cleanUp();
        assertEquals(0, count(folder));
        assertFalse(Leftovers.exist(archive));
    }

    @Test
    void transferGoesOnWithoutANote() throws Exception {
        Files.createDirectories(folder.getParent());
        Files.writeString(folder, "no folder");
        try (Notes.Note note = notes.begin(archive)) {
            assertEquals("no folder", Files.readString(folder));
        }
        notes.cleanUp();
    }

    @Test
    void archiveThatIsNoFolderIsNotOurMatter() throws Exception {
        Files.writeString(archive, "a file");
        notes.begin(archive).close();
        assertEquals(0, count(folder));
        assertEquals("a file", Files.readString(archive));
    }

    private void noteOfAnEarlierProcess(String archive) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("note " + count(folder)), archive);
    }

    private static long count(Path folder) throws IOException {
        try (Stream<Path> children = Files.list(folder)) {
            return children.count();
        }
    }
}
