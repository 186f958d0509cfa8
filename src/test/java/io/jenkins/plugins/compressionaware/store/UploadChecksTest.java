package io.jenkins.plugins.compressionaware.store;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.packed.PackedArchive;
import io.jenkins.plugins.compressionaware.engine.packed.PackedListing;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.StoreSender;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.StoredObject;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.packed.Unpacker;
import io.jenkins.plugins.compressionaware.testing.FakeStore;
import io.jenkins.plugins.compressionaware.testing.FakeUpload;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an agent may store. */
class UploadChecksTest extends UploadTestBase {
    UploadChecksTest() throws IOException {}

    @Test
    void hugeListIsRefused() throws Exception {
        try (UploadSession session = session(null)) {
            assertFails("The agent sent a list of files that is too long", () -> session.end(new byte[(48 << 20) + 1]));
        }
    }

    /** An agent chooses how many files it has. */
    @Test
    void listThatNeedsTooMuchHeapIsRefused() throws Exception {
        List<String> names = Collections.nCopies(1_000_000_000, "a");
        byte[] listing = new byte[(int) (Runtime.getRuntime().maxMemory() / 32) + 1];
        try (UploadSession session = new UploadSession(store, "jobs/", names, BLOCK, journal, bytes -> {})) {
            assertFails(
                    "The heap of the controller is too small for the list of the files", () -> session.end(listing));
        }
    }

    /** Advice to verify less must not follow from an outage. */
    @ParameterizedTest
    @CsvSource({
        "The store answered HTTP 501 NotImplemented: A header is not known., true",
        "'Cannot begin s3://b/k: no (Service: S3, Status Code: 400, Request ID: 1)', true",
        "The store answered HTTP 403 AccessDenied: The Checksum header is not signed., true",
        "The store answered HTTP 503 SlowDown., false",
        "The store does not respond in time., false",
        ", false"
    })
    void md5IsAdvisedOnlyForChecksums(String failure, boolean expected) {
        assertEquals(expected, StoreProbe.mayNeedMd5(new IOException(failure)));
    }

    /** The test button must find a store that stores damaged bytes. */
    @ParameterizedTest
    @EnumSource(PartChecksum.class)
    void testOfTheSettingsSendsWrongChecksums(PartChecksum checksum) throws Exception {
        open(checksum);
        StoreProbe.run(location, "jobs/", store);
        for (boolean parts : new boolean[] {false, true}) {
            server.fail(request ->
                    request.method().equals("PUT") && request.part() > 0 == parts ? FakeStore.UNCHECKED : null);
            IOException failure = assertThrows(IOException.class, () -> StoreProbe.run(location, "jobs/", store));
            assertTrue(StoreProbe.mayNeedMd5(failure), failure.toString());
        }
    }

    /** The test button must find an action that the policy of the bucket lacks. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "PUT .*",
                "GET .*X-Amz-Signature.*",
                "HEAD .*",
                "POST .*uploads.*",
                "POST .*uploadId.*",
                "POST .*delete.*",
                "DELETE .*uploadId.*",
                "GET .*uploads.*",
                "GET .*list-type.*"
            })
    void testOfTheSettingsTriesEachRequest(String refused) {
        server.fail(request -> {
            // the response to HEAD has no body, so no code
            String response = request.method().equals("HEAD") ? "403" : "403 AccessDenied";
            String kind = request.method() + ' ' + request.query().keySet();
            return kind.matches(refused) ? response : null;
        });
        IOException failure = assertThrows(IOException.class, () -> StoreProbe.run(location, "jobs/", store));
        assertTrue(
                failure.getMessage().contains("The credentials of the store do not allow this request"),
                failure.getMessage());
        assertFalse(StoreProbe.mayNeedMd5(failure), failure.getMessage());
    }

    /** An agent may use its signature until it expires, and a replaced object could not be read. */
    @Test
    void objectOfOneRequestHasTheTagOfTheAgent() throws Exception {
        Path tree = Files.createDirectories(tmp.resolve("tree"));
        FileTrees.write(tree, "a", "x");
        try (UploadSession session = session(Set.of("a"))) {
            SendOptions options = new SendOptions(Codec.GZIP, 1, BLOCK, 1);
            StoreSender.Stored stored =
                    StoreSender.send(tree, Map.of("a", "a"), options, session, location.checksum(), true, null);
            IOException failure =
                    assertThrows(IOException.class, () -> session.complete(List.of("\"other\""), stored.files()));
            assertTrue(failure.getMessage().endsWith(" as it reported"), failure.getMessage());
        }
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
                    new ObjectPart("", 2, 1, null),
                    new ObjectPart("", 2, 1, "x\r\nHost: y"));
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
            session.commit(tmp);
            session.packedEnd().commit(archive, new StagingJournal(tmp.resolve("staging"), tmp), record);
            assertEquals(
                    record,
                    StoredRecord.of(archive.resolve(PackedArchive.FOLDER).resolve("1.tar.zst")));
        }
        StoredRecord.setOpener((file, record) -> new StoredObject(
                record.key(),
                new ObjectReader(() -> store.signGet(record.key(), VALID, null), record.length(), record.tag())));
        PackedArchive.Found found = PackedArchive.of(archive).find("d/noise.zip");
        assertTrue(found.isObject());
        assertEquals(64 << 20, found.entry().size());
        try (InputStream in = found.open()) {
            assertEquals(-1, Arrays.mismatch(Files.readAllBytes(tree.resolve("noise.zip")), in.readAllBytes()));
        }
        assertFalse(PackedArchive.of(archive).find("text").isObject());
    }

    /** Unpacking deletes the object of a file, so it must find the file first. */
    @Test
    void objectOfANameThatIsNotNormalIsUnpacked() throws Exception {
        Path tree = Files.createDirectories(tmp.resolve("tree"));
        FileTrees.noise(tree.resolve("noise.zip"), 64 << 20);
        Path archive = Files.createDirectories(tmp.resolve("archive"));
        try (UploadSession session = session(Set.of(".//noise.zip"))) {
            SendOptions options = new SendOptions(Codec.GZIP, 1, BLOCK, 1);
            StoreSender.Stored stored = StoreSender.send(
                    tree, Map.of(".//noise.zip", "noise.zip"), options, session, location.checksum(), true, null);
            StoredRecord record = session.complete(stored.tags(), stored.files());
            session.commit(tmp);
            session.packedEnd().commit(archive, new StagingJournal(tmp.resolve("staging"), tmp), record);
            StoredRecord.setOpener((file, opened) -> new StoredObject(
                    opened.key(),
                    new ObjectReader(() -> store.signGet(opened.key(), VALID, null), opened.length(), opened.tag())));
            Path target = Files.createDirectory(tmp.resolve("target"));
            assertEquals(1, Unpacker.unpack(archive, target));
            assertEquals(-1, Files.mismatch(tree.resolve("noise.zip"), target.resolve("noise.zip")));

            // a damaged index is rebuilt from the tar, which has a link
            Path packed = archive.resolve(PackedArchive.FOLDER).resolve("1.tar.zst");
            byte[] end = session.packedEnd().bytes();
            end[12] ^= 1;
            Files.delete(packed);
            record.write(packed, end);
            Path other = Files.createDirectory(tmp.resolve("other"));
            assertEquals(1, Unpacker.unpack(archive, other));
            assertEquals(-1, Files.mismatch(tree.resolve("noise.zip"), other.resolve("noise.zip")));

            StoredRecord file = record.files().get(0);
            StoredRecord forged =
                    new StoredRecord(record.store(), record.key(), record.length(), record.tag(), List.of(file, file));
            Files.delete(packed);
            forged.write(packed, session.packedEnd().bytes());
            assertFails(
                    "Cannot unpack " + packed + ": its tar has 1 of 2 objects",
                    () -> Unpacker.unpack(archive, tmp.resolve("forged")));
        }
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
                            FakeUpload.record(tmp, "s", session.packedEnd().length(), "t"));
            assertTrue(PackedArchive.of(archive).find("x.zip").isObject());
        }
    }

    /** A store may use a key as a path. */
    @ParameterizedTest
    @CsvSource({"d/a-1.zip, a-1.zip", "d/..x, _x", "..., _", "ä.zip, _.zip", "..\\x, __x", "'a b%2F', a_b_2F"})
    void keyHasNoSpecialCharacters(String name, String expected) throws Exception {
        try (UploadSession session = session(Set.of(name))) {
            String key = session.begin(name);
            assertTrue(key.matches("jobs/[0-9a-f-]{36}/[^/]+") && key.endsWith('/' + expected), key);
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
            assertFails(
                    "The agent described a part that is not possible",
                    () -> session.sign(new ObjectPart[] {part(0, 1).of(key)}));
            session.sign(new ObjectPart[] {part(1, 1).of(key)});
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
