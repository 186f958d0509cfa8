package io.jenkins.plugins.compressionaware.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.testing.FakeStore;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** Who owns an object after each step of its life. */
@Timeout(60)
class StoreJournalTest {
    @TempDir
    private Path tmp;

    @AutoClose
    private final FakeStore server = new FakeStore();

    private final StoreLocation location = new StoreLocation(
            "bucket", FakeStore.REGION, "http://localhost:" + server.port(), true, "", "", PartChecksum.CRC32C);

    private ObjectStore store;
    private StoreJournal journal;
    private Path folder;
    private Path build;

    StoreJournalTest() throws IOException {}

    @BeforeEach
    void prepare() throws Exception {
        store = ObjectStore.open(
                location, StaticCredentialsProvider.create(AwsBasicCredentials.create("AKID", "secret")));
        folder = Files.createDirectory(tmp.resolve("journal"));
        journal = new StoreJournal(folder, any -> store);
        build = Files.createDirectories(tmp.resolve("job/builds/1"));
        Files.createDirectories(build.resolve("archive/packed-artifacts"));
        Files.createDirectories(build.resolve("stashes"));
    }

    /** An upload whose object is complete. */
    private final class Stored {
        final String id = UUID.randomUUID().toString();
        final String key = "jobs/" + id + ".tar.zst";
        final StoreJournal.Upload upload = journal.begin(location, key, id);

        Stored() throws IOException {
            server.put("/bucket/" + key, new byte[1]);
        }

        Stored commit() throws IOException {
            upload.commit(build);
            return this;
        }

        Stored record(String path) throws IOException {
            Files.deleteIfExists(build.resolve(path));
            new StoredRecord(location.describe(), key, 100, "tag").write(build.resolve(path), new byte[0]);
            return this;
        }

        Stored end() {
            upload.end();
            return this;
        }

        boolean exists() {
            return server.object("/bucket/" + key) != null;
        }
    }

    private Stored stash() throws IOException {
        return new Stored().commit().record("stashes/x.tar.zst").end();
    }

    /** Makes all lists of the journal old, and cleans it. */
    private void cleanLater() throws IOException {
        cleanAfter(Duration.ofHours(7));
    }

    private void cleanAfter(Duration passed) throws IOException {
        for (String list : FileTrees.list(folder)) {
            FileTime time = Files.getLastModifiedTime(folder.resolve(list));
            Files.setLastModifiedTime(
                    folder.resolve(list), FileTime.from(time.toInstant().minus(passed)));
        }
        journal.clean();
    }

    private void takeUnused() throws IOException {
        journal.take(StoreJournal.unusedOf(build), StoreJournal.READERS);
    }

    private void delete() throws IOException {
        journal.take(StoreJournal.listsOf(build), Duration.ZERO);
    }

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

    private void assertEmpty() throws IOException {
        assertEquals(List.of(), FileTrees.list(folder));
    }

    @Test
    void unfinishedUploadIsDeletedTwice() throws Exception {
        UploadSession session = new UploadSession(store, "jobs/", null, 64 * 1024, journal, bytes -> {});
        session.sign(new ObjectPart[] {new ObjectPart(1, 5 << 20, "AAAAAA==")});
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

    @Test
    void listsOfOneStoreAreOneRequest() throws Exception {
        for (int i = 0; i < 3; i++) {
            stash();
        }
        delete();
        int before = server.requests.get();
        server.fail(request -> "403 AccessDenied");
        journal.clean();
        assertEquals(1, server.requests.get() - before);
    }

    /** A policy or a lock may protect some of them. */
    @Test
    void objectThatCannotBeDeletedKeepsNoOther() throws Exception {
        Stored locked = stash();
        List<String> lines = new ArrayList<>(List.of(location.describe()));
        for (int i = 0; i < 1500; i++) {
            lines.add("jobs/" + i);
        }
        server.put("/bucket/jobs/1499", new byte[1]);
        Files.write(folder.resolve("many.complete"), lines);
        Stored other = stash();
        delete();
        server.lock("/bucket/" + locked.key);
        cleanLater();
        assertTrue(locked.exists());
        assertFalse(other.exists());
        assertNull(server.object("/bucket/jobs/1499"), "of the second request");
        assertEquals(List.of(locked.id + ".complete"), FileTrees.list(folder));
        assertThrows(IOException.class, () -> store.delete(List.of(locked.key)));
    }

    /** A store may not know this request. */
    @Test
    void uploadThatCannotBeAbortedKeepsNoObject() throws Exception {
        Stored failed = new Stored().end();
        Stored deleted = stash();
        delete();
        server.fail(request -> request.query().containsKey("uploads") ? "501 NotImplemented" : null);
        cleanLater();
        assertFalse(failed.exists() || deleted.exists());
        assertEquals(List.of(failed.id), FileTrees.list(folder));
    }

    /** The folder of the builds has files, too. */
    @Test
    void filesAreNoBuilds() throws Exception {
        Files.createFile(build.resolveSibling("permalinks"));
        assertEquals(List.of(), StoreJournal.listsOf(build.resolveSibling("permalinks")));
        assertEquals(List.of(), StoreJournal.listsOf(build.resolveSibling("2")));
    }

    /** Another thread may have taken it. */
    @Test
    void missingListsAreSkipped() throws Exception {
        assertEquals(List.of(), StoreJournal.lines(build.resolve("stored-objects/x")));
        journal.take(List.of(build.resolve("stored-objects/x")), Duration.ZERO);
        assertEmpty();
    }

    @Test
    void listsStayIfTheJournalIsMissing() throws Exception {
        stash();
        Files.delete(folder);
        assertThrows(NoSuchFileException.class, this::delete);
        assertEquals(1, StoreJournal.listsOf(build).size());
    }

    @Test
    void damagedRecordKeepsAllObjects() throws Exception {
        Stored stored = new Stored().commit().end();
        Path record = build.resolve("archive/packed-artifacts/1.tar.zst");
        for (byte[] damaged : List.of(new byte[0], new byte[] {0x5B, 0x2A, 0x4D, 0x18, 0, 0, 0, -1})) {
            Files.write(record, damaged);
            assertThrows(IOException.class, this::takeUnused);
        }
        // an agent may have archived it
        Files.move(record, record.resolveSibling("x.tar.zst"));
        Files.createSymbolicLink(record, Path.of("x.tar.zst"));
        takeUnused();
        cleanLater();
        assertFalse(stored.exists());
    }

    @Test
    void missingBucketHasNothingToDelete() throws Exception {
        new Stored().end();
        stash();
        delete();
        server.fail(request -> "404 NoSuchBucket");
        cleanLater();
        assertEmpty();
    }

    @Test
    void damagedListIsDeletedAndHidesNoOther() throws Exception {
        Files.createFile(folder.resolve("empty"));
        Files.write(folder.resolve("broken"), new byte[] {-1, -1});
        Files.writeString(folder.resolve("cut"), location.describe().substring(0, 20));
        Stored stored = new Stored().end();
        cleanLater();
        assertFalse(stored.exists());
        assertEmpty();
    }

    /** An agent may keep the stub of a session. */
    @Test
    void endedSessionHoldsNoFiles() throws Exception {
        UploadSession session = new UploadSession(store, "jobs/", Set.of("a"), 64 * 1024, journal, bytes -> {});
        session.begin("a");
        session.close();
        for (String name : List.of("files", "requested", "end")) {
            var field = UploadSession.class.getDeclaredField(name);
            field.setAccessible(true);
            Object held = field.get(session);
            assertTrue(held == null || held instanceof Map<?, ?> map && map.isEmpty(), name);
        }
    }
}
