package io.jenkins.plugins.compressionaware.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Who owns an object after each step of its life. */
class StoreJournalTest extends StoreJournalTestBase {
    StoreJournalTest() throws IOException {}

    /** A controller that was killed has not told its agents. */
    @Test
    void objectOfAKilledControllerIsDeletedTwice() throws Exception {
        Path killed = Files.write(folder.resolve(UUID.randomUUID().toString()), List.of(location.describe(), "jobs/x"));
        server.put("/bucket/jobs/x", new byte[1]);
        cleanLater();
        assertNull(server.object("/bucket/jobs/x"));
        server.put("/bucket/jobs/x", new byte[1]);
        journal.clean();
        assertTrue(Files.exists(killed), "the agent may still store the object");
        cleanLater();
        assertNull(server.object("/bucket/jobs/x"));
        assertEmpty();
    }

    @Test
    void unfinishedUploadIsDeletedTwice() throws Exception {
        UploadSession session = new UploadSession(store, "jobs/", null, 64 * 1024, journal, bytes -> {});
        session.sign(new ObjectPart[] {new ObjectPart("", 1, 5 << 20, "AAAAAA==")});
        journal.clean();
        assertEquals(1, server.uploads());
        session.close();
        server.fail(request -> "403 AccessDenied");
        journal.clean();
        assertEquals(1, server.uploads());
        server.fail(request -> null);
        journal.clean();
        assertEquals(0, server.uploads());
        assertEquals(1, FileTrees.list(folder).size(), "the agent may still store a part");
        cleanLater();
        assertEmpty();
    }

    @Test
    void objectIsTheBuildsBeforeItsRecord() throws Exception {
        Stored stored = new Stored().commit().end();
        cleanLater();
        assertEmpty();
        assertTrue(stored.exists(), "Jenkins may have been killed before the record, or may still save it");
        takeUnused();
        cleanLater();
        assertFalse(stored.exists());
    }

    /** Another branch of a Pipeline may read a stash that is replaced. */
    @Test
    void readersOfAReplacedStashKeepItsObject() throws Exception {
        Stored replaced = stash();
        Stored stash = stash();
        takeUnused();
        journal.cleanPending();
        cleanAfter(Duration.ofHours(5));
        assertTrue(replaced.exists());
        cleanAfter(Duration.ofHours(2));
        assertFalse(replaced.exists());
        assertTrue(stash.exists());
    }

    /** The absolute path of the build's folder was saved once. */
    @Test
    void movedBuildKeepsItsObjects() throws Exception {
        Stored stored = stash();
        Path moved = Files.move(tmp.resolve("job"), tmp.resolve("renamed")).resolve("builds/1");
        cleanLater();
        assertEquals(List.of(), StoreJournal.unusedOf(moved));
        assertEquals(
                stored.key, StoredRecord.of(moved.resolve("stashes/x.tar.zst")).key());
        assertTrue(stored.exists());
    }

    @Test
    void deletedBuildLeavesItsObjectsToTheJournal() throws Exception {
        Stored artifacts = new Stored()
                .commit()
                .record("archive/packed-artifacts/1.tar.zst")
                .end();
        Stored stash = stash();
        delete();
        assertEquals(2, FileTrees.list(folder).size());
        assertThrows(IOException.class, () -> StoredRecord.of(build.resolve("stashes/x.tar.zst")));
        server.fail(request -> "503 SlowDown");
        journal.cleanPending();
        assertTrue(journal.lines().contains(stash.key));
        FileTrees.delete(build);
        server.fail(request -> null);
        cleanLater();
        assertFalse(artifacts.exists() || stash.exists());
        assertEmpty();
    }

    @Test
    void deletedBuildStoresNothing() throws Exception {
        Stored stored = new Stored();
        FileTrees.delete(build);
        assertThrows(NoSuchFileException.class, stored::commit);
        stored.end();
        journal.cleanPending();
        assertFalse(stored.exists());
    }

    @Test
    void replacedStashesAreTaken() throws Exception {
        Stored first = stash();
        Stored second = stash();
        Stored third = stash();
        Stored artifacts = new Stored()
                .commit()
                .record("archive/packed-artifacts/1.tar.zst")
                .end();
        takeUnused();
        cleanLater();
        assertFalse(first.exists() || second.exists());
        assertTrue(third.exists() && artifacts.exists());
        Files.write(build.resolve("stashes/x.tar.zst"), new byte[100]);
        takeUnused();
        cleanLater();
        assertFalse(third.exists());
        FileTrees.delete(build.resolve("archive"));
        FileTrees.delete(build.resolve("stashes"));
        takeUnused();
        cleanLater();
        assertFalse(artifacts.exists());
    }

    @Test
    void recordThatIsBeingSavedKeepsItsObject() throws Exception {
        Stored saving = new Stored().commit();
        assertEquals(List.of(), StoreJournal.unusedOf(build));
        saving.record("stashes/x.tar.zst").end();
        assertEquals(List.of(), StoreJournal.unusedOf(build));
        assertTrue(saving.exists());
    }

    /** A build that was archived by Jenkins itself may have any file there. */
    @Test
    void archivedFilesDeleteNothingAndKeepNothing() throws Exception {
        Stored own = stash();
        Stored other = new Stored();
        other.upload.commit(Files.createDirectories(tmp.resolve("job/builds/2")));
        other.record("archive/packed-artifacts/2.tar.zst").record("archive/packed-artifacts/logo.png");
        FileTrees.write(build, "archive/packed-artifacts/x.bin", "\u005b\u002a");
        FileTrees.write(build, "archive/stored-objects/" + other.id, location.describe() + '\n' + other.key + '\n');
        assertEquals(List.of(), StoreJournal.unusedOf(build));
        delete();
        journal.cleanPending();
        assertFalse(own.exists());
        assertTrue(other.end().exists());
    }

    /** Another controller may work in the same home until it has stopped. */
    @Test
    void onlyListsOfThisControllerAreCleanedAtOnce() throws Exception {
        Path elsewhere = Files.write(folder.resolve("other"), List.of(location.describe(), "jobs/other"));
        server.put("/bucket/jobs/other", new byte[1]);
        Stored own = new Stored().end();
        journal.cleanPending();
        assertFalse(own.exists());
        assertTrue(Files.exists(elsewhere));
        assertNotNull(server.object("/bucket/jobs/other"));
        cleanLater();
        assertNull(server.object("/bucket/jobs/other"));
    }
}
