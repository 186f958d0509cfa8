package io.jenkins.plugins.compressionaware.store;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.packed.PackedFile;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.StoreSender;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.PartSender;
import io.jenkins.plugins.compressionaware.engine.store.StoreLimits;
import io.jenkins.plugins.compressionaware.engine.store.StoredObject;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store of two volume servers, one of which is killed. Both have all data, so reads need one of them, and writes need both. */
@Timeout(300)
class StoppedVolumeServerTest extends RealStoreTestBase {
    /** Limit of each wait for a process, seconds. */
    private static final int PATIENCE = 30;

    /** Parts of 8 MiB; as an object of its own, it would be read without verification. */
    private static final int BYTES = 60_000_000;

    /** Other tests may leave objects. */
    private final String prefix = "stopped/" + UUID.randomUUID() + '/';

    private final StoreLocation location = location(PartChecksum.CRC32C);
    private ObjectStore store;
    private Path build;

    /** The file with the process ID of the server to kill, which is deleted to start it again. */
    private Path pid;

    private boolean stopped;

    @BeforeEach
    void open() throws IOException {
        String file = System.getenv("STORE_VOLUME_PID");
        assumeTrue(
                file != null,
                "no second volume server: start scripts/seaweedfs --volumes=2, and set the variables that it prints");
        pid = Path.of(file);
        store = open(location, "AWS_SECRET_ACCESS_KEY");
        build = Files.createDirectories(tmp.resolve("builds/1"));
    }

    @AfterEach
    void close() throws IOException {
        if (store != null) {
            startAgain();
            journal.take(StoreJournal.listsOf(build), Duration.ZERO);
            journal.clean();
            store.close();
        }
    }

    private void stop() {
        try {
            ProcessHandle server = ProcessHandle.of(
                            Long.parseLong(Files.readString(pid).trim()))
                    .orElseThrow();
            stopped = true;
            assertTrue(server.destroyForcibly());
            server.onExit().get(PATIENCE, TimeUnit.SECONDS);
        } catch (IOException | InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    private void startAgain() throws IOException {
        if (stopped) {
            Files.delete(pid);
            await().atMost(PATIENCE, TimeUnit.SECONDS).until(() -> Files.exists(pid));
            stopped = false;
        }
    }

    /** @param progress receives the length of each part before the part is signed */
    private StoredRecord store(LongConsumer progress) throws Exception {
        Path tree = Files.createDirectories(tmp.resolve("tree"));
        FileTrees.noise(tree.resolve("a"), BYTES);
        try (UploadSession session = new UploadSession(store, prefix, Set.of("a"), BLOCK, journal, progress)) {
            SendOptions options = new SendOptions(Codec.NONE, 0, BLOCK, 1);
            StoreSender.Stored stored =
                    StoreSender.send(tree, Map.of("a", "a"), options, session, location.checksum(), true, null);
            StoredRecord record = session.complete(stored.tags(), stored.files());
            session.commit(build);
            return record;
        }
    }

    /** Stores bytes, of which each part has two requests: SeaweedFS needs half a minute to refuse one. */
    private void storeBriefly(LongConsumer progress) throws Exception {
        StoreLimits twice = new StoreLimits(60_000, 2, 250, System::nanoTime);
        try (UploadSession session = new UploadSession(store, prefix, Set.of("a"), BLOCK, journal, progress);
                PartSender parts = new PartSender(
                        session,
                        location.checksum(),
                        new TransferThreads(new ThreadCpuTimes()),
                        write -> {},
                        twice,
                        8 << 20,
                        HeapBudget.ofThisJvm(),
                        0)) {
            parts.append(FileTrees.noise(BYTES), 0, BYTES);
            parts.finish();
        }
    }

    private List<String> keys() throws IOException {
        List<String> keys = new ArrayList<>();
        store.list(prefix, (key, time) -> keys.add(key));
        return keys;
    }

    /** Opens the file in an object. */
    private InputStream open(StoredRecord record) throws IOException {
        Object uncached = new Object();
        PackedFile packed = new PackedFile(
                "x",
                uncached,
                () -> new StoredObject(
                        "x",
                        new ObjectReader(
                                () -> store.signGet(record.key(), VALID, null), record.length(), record.tag())));
        return packed.open(packed.first("a"));
    }

    private void assertReadable(StoredRecord record) throws IOException {
        try (InputStream in = open(record)) {
            assertArrayEquals(FileTrees.noise(BYTES), in.readAllBytes());
        }
    }

    /** Runs an action when a part of the middle is about to be signed. */
    private static LongConsumer inTheMiddle(Runnable action) {
        AtomicInteger parts = new AtomicInteger();
        return bytes -> {
            if (parts.incrementAndGet() == 4) {
                action.run();
            }
        };
    }

    @Test
    void readsGoOn() throws Exception {
        StoredRecord record = store(bytes -> {});
        byte[] content = new byte[BYTES];
        try (InputStream in = open(record)) {
            int n = in.readNBytes(content, 0, 10_000_000);
            stop();
            n += in.readNBytes(content, n, BYTES - n);
            assertEquals(BYTES, n);
            assertEquals(-1, in.read());
        }
        assertArrayEquals(FileTrees.noise(BYTES), content);
        assertReadable(record);
    }

    /** No other server can have the second copy of what is written. */
    @Test
    void uploadFailsWithOneLineAndOthersRemain() throws Exception {
        StoredRecord stored = store(bytes -> {});
        IOException failure = assertThrows(IOException.class, () -> storeBriefly(inTheMiddle(this::stop)));
        String start = "Cannot store " + location.endpoint() + '/' + location.bucket() + '/' + prefix;
        assertTrue(failure.getMessage().startsWith(start), failure.getMessage());
        assertTrue(
                failure.getMessage().matches(".*[.]tar[.]zst after 2 requests[.] .* did not recover in time[.]"),
                failure.getMessage());
        assertReadable(stored);
        startAgain();
        StoredRecord next = store(bytes -> {});
        assertReadable(next);
        assertReadable(stored);
        journal.clean();
        assertEquals(Set.of(stored.key(), next.key()), Set.copyOf(keys()), "the failed upload leaves no object");
        var unfinished = store.client()
                .listMultipartUploads(list -> list.bucket(location.bucket()).prefix(prefix))
                .uploads();
        assertEquals(List.of(), unfinished, "the failed upload leaves no part");
    }

    @Test
    void uploadOutlastsARestart() throws Exception {
        StoredRecord record = store(inTheMiddle(() -> {
            stop();
            try {
                startAgain();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }));
        assertReadable(record);
    }
}
