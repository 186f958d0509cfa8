package io.jenkins.plugins.compressionaware.engine.packed;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.StoreSender;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import io.jenkins.plugins.compressionaware.engine.store.StoreException;
import io.jenkins.plugins.compressionaware.engine.store.StoredObject;
import io.jenkins.plugins.compressionaware.engine.tar.EntryRejectedException;
import io.jenkins.plugins.compressionaware.testing.FakeStore;
import io.jenkins.plugins.compressionaware.testing.FakeUpload;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Artifacts of a build whose contents are in a store, beside others. */
@Timeout(60)
class StoredArchiveTest {
    @TempDir
    Path tmp;

    @AutoClose
    private final FakeStore store = new FakeStore();

    private Path tree;
    private Path archive;
    private ObjectReader object;

    StoredArchiveTest() throws IOException {}

    @BeforeEach
    void prepare() throws Exception {
        tree = Files.createDirectory(tmp.resolve("tree"));
        archive = tmp.resolve("archive");
        StoredRecord.setOpener((file, record) -> new StoredObject(file.toString(), object));
    }

    @AfterEach
    void reset() {
        StoredRecord.setOpener((file, record) -> {
            throw new IOException("No store is available");
        });
    }

    private StoredRecord store() throws Exception {
        Map<String, String> files = FileTrees.names(tree);
        AtomicReference<PackedEnd> end = new AtomicReference<>();
        FakeUpload upload = new FakeUpload(store, PartChecksum.CRC32C, listing -> {
            try {
                end.set(new PackedEnd(listing, files.keySet(), Packed.BLOCK, UnaryOperator.identity()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return end.get().bytes();
        });
        SendOptions options = new SendOptions(Codec.ZSTD, 3, Packed.BLOCK, 1);
        object = upload.complete(StoreSender.send(tree, files, options, upload, PartChecksum.CRC32C, true, null)
                .tags());
        String tag = FakeStore.tag(store.object(FakeUpload.PATH));
        StoredRecord record = FakeUpload.record(tmp, "somewhere", object.length(), tag);
        StagingJournal journal = new StagingJournal(tmp.resolve("journal"), tmp);
        end.get().commit(archive, journal, record);
        return record;
    }

    private static byte[] read(PackedArchive packed, String name) throws IOException {
        try (InputStream in = packed.find(name).open()) {
            return in.readAllBytes();
        }
    }

    @Test
    void artifactsAreListedWithoutTheStore() throws Exception {
        RandomTree.create(tree, 3);
        store();
        int before = store.requests.get();
        PackedArchive packed = PackedArchive.of(archive);
        assertNotNull(packed);
        for (String name : FileTrees.names(tree).keySet()) {
            assertNotNull(packed.find(name), name);
        }
        assertTrue(packed.list("").size() > 1);
        assertEquals(before, store.requests.get());
        for (String name : FileTrees.names(tree).keySet()) {
            if (Files.isRegularFile(tree.resolve(name), LinkOption.NOFOLLOW_LINKS)) {
                assertArrayEquals(Files.readAllBytes(tree.resolve(name)), read(packed, name), name);
            }
        }
    }

    @Test
    void recordNamesTheObject() throws Exception {
        FileTrees.write(tree, "a", "x");
        StoredRecord record = store();
        assertEquals(record, StoredRecord.of(archive.resolve("packed-artifacts/1.tar.zst")));
        Packed.archive(tree, archive);
        assertNull(StoredRecord.of(archive.resolve("packed-artifacts/2.tar.zst")));
    }

    @Test
    void laterStepsCountWhereverTheyAre() throws Exception {
        FileTrees.write(tree, "a", "first");
        store();
        FileTrees.write(tree, "a", "second");
        Packed.archive(tree, archive);
        assertEquals("second", new String(read(PackedArchive.of(archive), "a"), StandardCharsets.UTF_8));
        FileTrees.write(tree, "a", "third");
        store();
        assertEquals("third", new String(read(PackedArchive.of(archive), "a"), StandardCharsets.UTF_8));
    }

    @Test
    void deletedObjectFailsByName() throws Exception {
        FileTrees.write(tree, "a", "x");
        store();
        store.delete(FakeUpload.PATH);
        IOException failure = assertThrows(IOException.class, () -> read(PackedArchive.of(archive), "a"));
        assertTrue(failure.getMessage().contains("a"), failure.getMessage());
        assertTrue(hasCause(failure), failure.toString());
    }

    /** An agent can store any bytes with the right length and checksum. */
    @Test
    void garbageFailsByName() throws Exception {
        FileTrees.write(tree, "a", "first");
        Files.write(tree.resolve("b"), FileTrees.noise(10 * Packed.BLOCK));
        store();
        byte[] garbage = store.object(FakeUpload.PATH).clone();
        garbage[5 * Packed.BLOCK] ^= 1;
        String tag = store.put(FakeUpload.PATH, garbage);
        object = new ObjectReader(
                () -> new SignedRequest(store.sign("GET", FakeUpload.PATH, Map.of(), Duration.ofMinutes(10))),
                garbage.length,
                tag);
        PackedArchive packed = PackedArchive.of(archive);
        assertEquals("first", new String(read(packed, "a"), StandardCharsets.UTF_8));
        assertFails("Cannot read b: block 5 was damaged (wrong checksum)", () -> read(packed, "b"));
    }

    private static boolean hasCause(Throwable failure) {
        return failure != null && (failure instanceof StoreException || hasCause(failure.getCause()));
    }

    /** An agent could otherwise let the controller read any object with its credentials. */
    @Test
    void archivedFileIsNoRecord() throws Exception {
        Path staged = Files.createDirectories(tmp.resolve("staged/packed-artifacts"));
        new StoredRecord("somewhere", "secret", 100, "x", List.of()).write(staged.resolve("1.tar.zst"), new byte[0]);
        assertThrows(EntryRejectedException.class, () -> PackedArchive.refuseForged(tmp.resolve("staged")));
    }

    private void assertRefused(StoredRecord forged) throws IOException {
        Path file = archive.resolve("packed-artifacts/2.tar.zst");
        forged.write(file, new byte[0]);
        for (Executable read : List.<Executable>of(() -> StoredRecord.of(file), () -> StoredRecord.open(file))) {
            IOException failure = assertThrows(IOException.class, read);
            assertTrue(failure.getMessage().contains("not of this build"), failure.getMessage());
        }
        Files.delete(file);
    }

    /** A build that was archived by Jenkins itself may have any file there, and any other below its artifacts. */
    @Test
    void recordCountsOnlyForObjectsOfItsBuild() throws Exception {
        FileTrees.write(tree, "a", "x");
        StoredRecord own = store();
        StoredRecord other = FakeUpload.record(tmp.resolve("other"), "somewhere", 100, "x");
        assertRefused(other);
        String list = FileTrees.list(tmp.resolve("other/stored-objects")).get(0);
        FileTrees.write(archive, "stored-objects/" + list, "somewhere\n" + other.key());
        FileTrees.write(archive, "packed-artifacts/stored-objects/" + list, "somewhere\n" + other.key());
        assertRefused(other);
        assertRefused(new StoredRecord("elsewhere", own.key(), 100, "x", List.of()));
        assertRefused(new StoredRecord("somewhere", own.key(), 100, "x", List.of(other)));
        assertRefused(new StoredRecord("somewhere", "other/" + own.key(), 100, "x", List.of()));
        assertEquals(own, StoredRecord.of(archive.resolve("packed-artifacts/1.tar.zst")));
    }

    @Test
    void hugeRecordIsNotWritten() {
        StoredRecord file = new StoredRecord("s", "k".repeat(20_000), 1, "t", List.of());
        List<StoredRecord> files = Collections.nCopies(1000, file);
        StoredRecord huge = new StoredRecord("s", "k", 100, "t", files);
        assertThrows(IOException.class, () -> huge.write(tmp.resolve("x"), new byte[0]));
        assertFalse(Files.exists(tmp.resolve("x")));
    }

    @Test
    void stashIsReadThroughItsRecord() throws Exception {
        FileTrees.noise(tree.resolve("a"), 1_000_000);
        AtomicReference<PackedEnd> end = new AtomicReference<>();
        FakeUpload upload = new FakeUpload(store, PartChecksum.CRC32C, listing -> {
            try {
                end.set(new PackedEnd(listing, null, Packed.BLOCK, UnaryOperator.identity()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return end.get().bytes();
        });
        SendOptions options = new SendOptions(Codec.NONE, 0, Packed.BLOCK, 1);
        StoreSender.Stored stored =
                StoreSender.send(tree, Map.of("a", "a"), options, upload, PartChecksum.CRC32C, false, null);
        object = upload.complete(stored.tags());
        Path file = Files.createDirectory(tmp.resolve("stashes")).resolve("x.tar.zst");
        FakeUpload.record(tmp, "somewhere", object.length(), "t")
                .write(file, end.get().bytes());
        try (FrameFile frames = FrameFile.open(file)) {
            assertEquals(end.get().length() - end.get().bytes().length, frames.wireBytes());
            byte[] all = new byte[(int) frames.wireBytes()];
            frames.read(0, all, 0, all.length);
            assertArrayEquals(Arrays.copyOf(store.object(FakeUpload.PATH), all.length), all);
        }
    }

    @Test
    void damagedRecordIsRefused() throws Exception {
        Path file = Files.createDirectory(tmp.resolve("stashes")).resolve("x.tar.zst");
        FakeUpload.record(tmp, "s", 100, "t").write(file, new byte[200]);
        assertThrows(IOException.class, () -> StoredRecord.open(file));
        byte[] bytes = Files.readAllBytes(file);
        bytes[7] = 127;
        Files.write(file, bytes);
        assertThrows(IOException.class, () -> StoredRecord.open(file));
    }
}
