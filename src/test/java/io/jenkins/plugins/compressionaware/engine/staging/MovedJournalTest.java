package io.jenkins.plugins.compressionaware.engine.staging;

import static io.jenkins.plugins.compressionaware.testing.FileTrees.list;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jenkins' home or a job is moved, copied or linked after a crash, or while a transfer runs. */
class MovedJournalTest {
    @TempDir
    private Path tmp;

    private Path folder;
    private StagingJournal journal;

    @BeforeEach
    void prepare() throws Exception {
        folder = Files.createDirectories(tmp.resolve("home")).resolve("journal");
        journal = new StagingJournal(folder, tmp);
    }

    @Test
    void copyOfHomeDeletesOnlyItsOwnFiles() throws Exception {
        Path home = tmp.resolve("home");
        Path inside = crashed(home, "home/jobs/job/builds/1");
        Path outside = crashed(home, "builds/job/1");
        Path copy = tmp.resolve("copy");
        try (Stream<Path> all = Files.walk(home)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                Files.copy(path, copy.resolve(home.relativize(path)));
            }
        }
        new StagingJournal(copy.resolve("journal"), copy).deleteAbandoned(0);
        assertTrue(Files.exists(inside) && Files.exists(outside), "the original is unchanged");
        assertEquals(0, list(copy.resolve("jobs/job/builds/1")).size());
        assertEquals(0, list(copy.resolve("journal")).size());
        Path moved = Files.move(home, tmp.resolve("moved"));
        new StagingJournal(moved.resolve("journal"), moved).deleteAbandoned(0);
        assertEquals(0, list(moved.resolve("jobs/job/builds/1")).size());
    }

    @Test
    void homeMayBeALink() throws Exception {
        Path home = Files.createSymbolicLink(tmp.resolve("link"), tmp.resolve("home"));
        for (String name : List.of("home/jobs/job/builds/1", "link/jobs/job/builds/1")) {
            Path partial = crashed(home, name);
            assertTrue(Files.readString(folder.resolve(list(folder).get(0))).startsWith("jobs"), name);
            journal.deleteAbandoned(0);
            assertTrue(Files.exists(partial), "of another home");
            new StagingJournal(folder, home).deleteAbandoned(0);
            assertFalse(Files.exists(partial));
        }
    }

    /** Leaves a partial folder with an entry, as a crash does, and returns its path. */
    private Path crashed(Path home, String name) throws IOException {
        Path partial = PartialPath.create(Files.createDirectories(tmp.resolve(name)));
        try (StagingJournal.Entry entry = new StagingJournal(home.resolve("journal"), home).open(partial)) {
            return Files.createDirectory(partial);
        }
    }

    @Test
    void partialPathsOfMovedJobAreDeleted() throws Exception {
        Path builds = Files.createDirectories(tmp.resolve("jobs/job/builds"));
        Path moved = tmp.resolve("folder/jobs/job/builds");
        Files.createDirectories(builds.resolve("1"));
        Files.createDirectories(moved.getParent());
        StagedArchive staged = new StagedArchive(builds.resolve("1/archive"), journal);
        Path stash = PartialPath.create(Files.createDirectories(builds.resolve("2/stashes")));
        try (StagingJournal.Entry entry = journal.open(stash)) {
            Files.createFile(stash);
        }
        Files.move(builds, moved);
        journal.moved(moved);
        assertThrows(IOException.class, staged::commit);
        staged.close();
        assertEquals(0, list(moved.resolve("1")).size(), "of the running transfer");
        journal.deleteAbandoned(0);
        assertEquals(0, list(moved.resolve("2/stashes")).size(), "of an earlier process");
        assertEquals(0, list(folder).size());
    }
}
