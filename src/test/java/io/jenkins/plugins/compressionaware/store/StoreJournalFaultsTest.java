package io.jenkins.plugins.compressionaware.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import org.junit.jupiter.api.Test;

/** Damage, missing files, and stores that refuse. */
class StoreJournalFaultsTest extends StoreJournalTestBase {
    StoreJournalFaultsTest() throws IOException {}

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

    /** A refused thread may keep all later deletions waiting until Jenkins restarts. */
    @Test
    void hourlyWorkDeletesWhatNoOtherThreadHas() throws Exception {
        Stored failed = new Stored().end();
        Stored deleted = stash();
        delete();
        journal.clean();
        assertFalse(failed.exists() || deleted.exists());
        assertEquals(2, FileTrees.list(folder).size(), "the agents may still store a part");
        int before = server.requests.get();
        journal.cleanPending();
        assertEquals(before, server.requests.get(), "the memory for waiting lists would grow");
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

    /** Reading a folder fails like a disk error, without the name of the file. */
    @Test
    void listThatCannotBeReadStaysAndHidesNoOther() throws Exception {
        Path unreadable = Files.createDirectory(folder.resolve("unreadable"));
        Files.setLastModifiedTime(unreadable, FileTime.fromMillis(0));
        Stored stored = new Stored().end();
        cleanLater();
        assertFalse(stored.exists());
        assertTrue(Files.exists(unreadable));
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
