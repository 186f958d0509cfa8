package io.jenkins.plugins.compressionaware.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.PartSender;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import io.jenkins.plugins.compressionaware.engine.store.StoreUpload;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Uploads that the SDK signs, and agents that misuse them. */
class UploadSessionTest extends UploadTestBase {
    UploadSessionTest() throws IOException {}

    @ParameterizedTest
    @EnumSource(PartChecksum.class)
    void objectsAreStoredAndReadBySignatures(PartChecksum checksum) throws Exception {
        open(checksum);
        for (int bytes : new int[] {1000, 20_000_000}) {
            StoredRecord record = store(bytes);
            assertEquals(location, StoreLocation.parse(record.store()));
            assertTrue(record.key().startsWith("jobs/"), record.key());
            byte[] object = server.object("/bucket/" + record.key());
            assertEquals(record.length(), object.length);
            ObjectReader reader =
                    new ObjectReader(() -> store.signGet(record.key(), VALID), record.length(), record.tag());
            try (InputStream in = reader.open(0, record.length())) {
                assertArrayEquals(object, in.readAllBytes());
            }
        }
        assertEquals(0, entries());
        assertEquals(0, server.uploads());
    }

    @Test
    void unfinishedUploadIsDeletedLater() throws Exception {
        UploadSession session = session(Set.of("a"));
        session.sign(new ObjectPart[] {new ObjectPart(1, 5 << 20, "AAAAAA==")});
        assertEquals(1, server.uploads());
        assertTrue(journal.clean(), "a running upload is no failure");
        assertEquals(1, server.uploads());
        session.close();
        server.fail(request -> "403 AccessDenied");
        assertFalse(journal.clean());
        assertEquals(1, entries());
        server.fail(request -> null);
        assertFalse(journal.clean(), "the agent may still store a part");
        assertEquals(0, server.uploads());
        assertEquals(1, entries());
        try (Stream<Path> entries = Files.list(tmp.resolve("journal"))) {
            Files.setLastModifiedTime(
                    entries.findFirst().orElseThrow(),
                    FileTime.from(Instant.now().minus(Duration.ofMinutes(31))));
        }
        assertTrue(journal.clean());
        assertEquals(0, entries());
    }

    /** The answer of the store may be lost, and the SDK repeats the request. */
    @Test
    void completedUploadMayBeCompletedAgain() throws Exception {
        ObjectUpload upload = new ObjectUpload(store, "jobs/x", "text/plain", null);
        StoreUpload controller = parts -> {
            SignedRequest[] signed = new SignedRequest[parts.length];
            for (int i = 0; i < parts.length; i++) {
                upload.add(parts[i]);
                signed[i] = upload.sign(parts[i]);
            }
            return signed;
        };
        List<String> tags;
        try (PartSender sender = new PartSender(
                controller, PartChecksum.CRC32C, new TransferThreads(new ThreadCpuTimes()), write -> {})) {
            sender.append(new byte[9 << 20], 0, 9 << 20);
            tags = sender.finish();
        }
        StoredRecord first = upload.complete(tags, List.of());
        assertEquals(first, upload.complete(tags, List.of()));
        server.delete("/bucket/jobs/x");
        assertThrows(IOException.class, () -> upload.complete(tags, List.of()));
    }

    /** After a power loss. */
    @Test
    void damagedEntryIsDeleted() throws Exception {
        Files.createFile(tmp.resolve("journal/damaged"));
        assertTrue(journal.clean());
        assertEquals(0, entries());
    }

    /** A controller that starts in the home of another one, which still works. */
    @Test
    void uploadOfAnotherControllerIsKept() throws Exception {
        Path entry = Files.write(
                tmp.resolve("journal/other.upload"), List.of(location.describe(), tmp.toString(), "jobs/other"));
        server.put("/bucket/jobs/other", new byte[1]);
        assertFalse(journal.clean());
        assertTrue(Files.exists(entry));
        assertNotNull(server.object("/bucket/jobs/other"));
        uptime = Duration.ofMinutes(16);
        journal.clean();
        assertNull(server.object("/bucket/jobs/other"));
    }

    /** Jenkins may be killed between the record and the commit of an upload. */
    @Test
    void recordedObjectIsKept() throws Exception {
        try (UploadSession session = session(null)) {
            int end = session.end(listing()).length;
            byte[] object = new byte[end + 45];
            ObjectPart part = new ObjectPart(0, object.length, PartChecksum.CRC32C.of(object, object.length));
            session.sign(new ObjectPart[] {part});
        }
        String key = journal.keys().stream()
                .filter(each -> each.startsWith("jobs/"))
                .findFirst()
                .orElseThrow();
        new StoredRecord(location.describe(), key, 100, "tag").write(tmp.resolve("x.tar.zst"), new byte[0]);
        server.fail(request -> "500 InternalError");
        assertTrue(journal.clean(), "without a request");
        assertEquals(0, entries());
    }

    @Test
    void deletedObjectsAreDeletedLater() throws Exception {
        StoredRecord record = store(1000);
        journal.add(location, List.of(record.key(), "jobs/other"));
        assertTrue(journal.clean());
        assertNull(server.object("/bucket/" + record.key()));
        assertEquals(0, entries());
    }

    @Test
    void objectsAreListed() throws Exception {
        StoredRecord record = store(1000);
        List<String> keys = new ArrayList<>();
        store.list("jobs/", (key, stored) -> keys.add(key));
        store.list("other/", (key, stored) -> keys.add(key));
        assertEquals(List.of(record.key()), keys);
    }
}
