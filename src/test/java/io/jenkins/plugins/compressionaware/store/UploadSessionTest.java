package io.jenkins.plugins.compressionaware.store;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.packed.PackedArchive;
import io.jenkins.plugins.compressionaware.engine.packed.PackedListing;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.StoreSender;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.PartSender;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import io.jenkins.plugins.compressionaware.engine.store.StoreUpload;
import io.jenkins.plugins.compressionaware.engine.store.StoredObject;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.testing.FakeStore;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** Uploads that the SDK signs, and agents that misuse them. */
@Timeout(60)
class UploadSessionTest {
    private static final Duration VALID = Duration.ofMinutes(10);
    private static final int BLOCK = 64 * 1024;

    @TempDir
    private Path tmp;

    @AutoClose
    private final FakeStore server = new FakeStore();

    private ObjectStore store;
    private StoreLocation location;
    private StoreJournal journal;

    UploadSessionTest() throws IOException {}

    @BeforeEach
    void prepare() throws Exception {
        open(PartChecksum.CRC32C);
        journal = new StoreJournal(Files.createDirectory(tmp.resolve("journal")), any -> store);
    }

    private void open(PartChecksum checksum) throws IOException {
        location = new StoreLocation(
                "bucket", FakeStore.REGION, "http://localhost:" + server.port(), true, "", "", checksum);
        store = ObjectStore.open(
                location, StaticCredentialsProvider.create(AwsBasicCredentials.create("AKID", "secret")));
    }

    private UploadSession session(Set<String> requested) throws IOException {
        return new UploadSession(store, "jobs/", requested, BLOCK, journal, tmp, bytes -> {});
    }

    private StoredRecord store(int bytes) throws Exception {
        Path tree = Files.createDirectories(tmp.resolve("tree"));
        FileTrees.noise(tree.resolve("a"), bytes);
        try (UploadSession session = session(Set.of("a"))) {
            SendOptions options = new SendOptions(Codec.NONE, 0, BLOCK, 1);
            StoreSender.Stored stored =
                    StoreSender.send(tree, Map.of("a", "a"), options, session, location.checksum(), true, null);
            StoredRecord record = session.complete(stored.tags(), stored.files());
            session.commit();
            return record;
        }
    }

    private int entries() throws IOException {
        try (Stream<Path> entries = Files.list(tmp.resolve("journal"))) {
            return (int) entries.count();
        }
    }

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
    }

    @Test
    void hugeListIsRefused() throws Exception {
        try (UploadSession session = session(null)) {
            assertFails(
                    "The agent sent a list of files that is too long", () -> session.end(new byte[(48 << 20) + 1]));
        }
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

    private static ObjectPart part(int number, int length) {
        return new ObjectPart(number, length, "AAAAAA==");
    }

    @Test
    void impossiblePartsAreNotSigned() throws Exception {
        try (UploadSession session = session(Set.of("a"))) {
            session.sign(new ObjectPart[] {part(1, 100)});
            List<ObjectPart> impossible = List.of(
                    part(0, 1),
                    part(-1, 1),
                    part(10_001, 1),
                    part(2, 0),
                    part(2, -1),
                    part(2, Integer.MAX_VALUE),
                    new ObjectPart(2, 1, null),
                    new ObjectPart(2, 1, "x\r\nHost: y"));
            for (ObjectPart part : impossible) {
                assertFails(
                        "The agent described a part that is not possible", () -> session.sign(new ObjectPart[] {part}));
            }
            session.sign(new ObjectPart[] {part(1, 100)});
            assertFails("The agent described a part twice", () -> session.sign(new ObjectPart[] {part(1, 101)}));
        }
    }

    /** A large file that does not compress is an object of its own, and a link in the tar. */
    @Test
    void largeNoiseHasItsOwnObject() throws Exception {
        Path tree = Files.createDirectories(tmp.resolve("tree"));
        FileTrees.noise(tree.resolve("noise.zip"), 64 << 20);
        FileTrees.write(tree, "text", "text ".repeat(14_000_000));
        Set<String> names = Set.of("d/noise.zip", "text");
        Path archive = Files.createDirectories(tmp.resolve("archive"));
        try (UploadSession session = session(names)) {
            StoreSender.Stored stored = StoreSender.send(
                    tree,
                    Map.of("d/noise.zip", "noise.zip", "text", "text"),
                    new SendOptions(Codec.GZIP, 1, BLOCK, 1),
                    session,
                    location.checksum(),
                    true,
                    null);
            StoredRecord record = session.complete(stored.tags(), stored.files());
            assertEquals(1, record.files().size());
            assertTrue(record.files().get(0).key().matches("jobs/[0-9a-f-]{36}/noise\\.zip"), record.toString());
            session.packedEnd().commit(archive, new StagingJournal(tmp.resolve("staging"), tmp), record);
            session.commit();
            assertEquals(
                    record,
                    StoredRecord.of(archive.resolve(PackedArchive.FOLDER).resolve("1.tar.zst")));
        }
        StoredRecord.setOpener(
                (file, record) -> new StoredObject(
                        record.key(),
                        record,
                        new ObjectReader(() -> store.signGet(record.key(), VALID), record.length(), record.tag())),
                content -> "");
        PackedArchive.Found found = PackedArchive.of(archive).find("d/noise.zip");
        assertTrue(found.isObject());
        assertEquals(64 << 20, found.entry().size());
        try (InputStream in = found.open()) {
            assertEquals(-1, Arrays.mismatch(Files.readAllBytes(tree.resolve("noise.zip")), in.readAllBytes()));
        }
        assertFalse(PackedArchive.of(archive).find("text").isObject());
    }

    /** The tar has the normal form of a name. */
    @Test
    void objectIsThatOfANormalName() throws Exception {
        try (UploadSession session = session(Set.of("./x.zip"))) {
            String key = session.begin("./x.zip");
            PackedListing listing = new PackedListing();
            listing.add(new FrameHeader(Codec.GZIP, 0, 1024, 1000, Checksum.CRC32C, 0));
            listing.add(new FrameHeader(Codec.NONE, 1, 0, 5, Checksum.CRC32C, 0));
            listing.add(new TarEntry("x.zip", TarEntry.LINK, 0, 0, 0, 0644, key));
            session.end(listing.toBytes());
            Path archive = Files.createDirectories(tmp.resolve("archive"));
            session.packedEnd()
                    .commit(
                            archive,
                            new StagingJournal(tmp.resolve("staging"), tmp),
                            new StoredRecord("s", "k", 1_000_000, "t"));
            assertTrue(PackedArchive.of(archive).find("x.zip").isObject());
        }
    }

    @Test
    void onlyRequestedFilesHaveObjects() throws Exception {
        try (UploadSession session = session(Set.of("a", "b"))) {
            String key = session.begin("a");
            assertFails("The agent began an object that it must not store", () -> session.begin("a"));
            assertFails("The agent began an object that it must not store", () -> session.begin("c"));
            assertFails(
                    "The agent described an object that it must not store",
                    () -> session.sign(new ObjectPart[] {part(1, 1).of("jobs/other")}));
            session.sign(new ObjectPart[] {part(0, 1).of(key)});
            PackedListing listing = new PackedListing();
            listing.add(new FrameHeader(Codec.NONE, 0, 0, 5, Checksum.CRC32C, 0));
            listing.add(new TarEntry("a", TarEntry.OBJECT, 0, 1, 0, 0644, key));
            assertTrue(assertThrows(IOException.class, () -> session.end(listing.toBytes()))
                    .getMessage()
                    .contains("only the controller knows objects"));
        }
        try (UploadSession session = session(null)) {
            assertFails("The agent began an object that it must not store", () -> session.begin("a"));
        }
    }

    private static byte[] listing() {
        PackedListing listing = new PackedListing();
        listing.add(new FrameHeader(Codec.NONE, 0, 0, 5, Checksum.CRC32C, 0));
        return listing.toBytes();
    }

    @Test
    void objectMustBeWhatTheAgentListed() throws Exception {
        try (UploadSession session = session(null)) {
            session.sign(new ObjectPart[] {part(1, 100)});
            assertFails("The agent did not store what it listed", () -> session.complete(List.of("\"x\""), Map.of()));
        }
        try (UploadSession session = session(null)) {
            int end = session.end(listing()).length;
            assertFails("The agent has listed its files before", () -> session.end(listing()));
            session.sign(new ObjectPart[] {part(1, end + 45)});
            assertFails("The agent did not store all parts", () -> session.complete(List.of(), Map.of()));
            assertFails("The agent did not store all parts", () -> session.complete(List.of("<x>"), Map.of()));
            assertFails("The transfer is over", () -> session.sign(new ObjectPart[] {part(2, 1)}));
            assertThrows(IOException.class, () -> session.complete(List.of("\"x\""), Map.of()));
        }
        try (UploadSession session = session(null)) {
            int end = session.end(listing()).length;
            session.sign(new ObjectPart[] {part(0, end + 45)});
            IOException failure = assertThrows(IOException.class, () -> session.complete(List.of("\"x\""), Map.of()));
            assertTrue(
                    failure.getMessage().startsWith("The agent did not store s3://bucket/jobs/"), failure.toString());
        }
        assertEquals(3, entries());
    }
}
