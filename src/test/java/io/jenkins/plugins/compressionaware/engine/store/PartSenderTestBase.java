package io.jenkins.plugins.compressionaware.engine.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.testing.FakeStore;
import io.jenkins.plugins.compressionaware.testing.FakeUpload;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Timeout;

/** A sender of parts to a {@link FakeStore}. */
@Timeout(60)
abstract class PartSenderTestBase {
    static final int PART = 64 * 1024;

    /** Ten parts, the last of which is short. */
    static final byte[] OBJECT = new byte[9 * PART + 1];

    static final StoreLimits LIMITS = new StoreLimits(10_000, 4, 1, System::nanoTime);

    static {
        new Random(1).nextBytes(OBJECT);
    }

    @AutoClose
    final TestThreads threads = new TestThreads();

    @AutoClose
    final FakeStore store = new FakeStore();

    final Queue<LaneWrite> writes = new ConcurrentLinkedQueue<>();
    FakeUpload upload = new FakeUpload(store, PartChecksum.CRC32C, listing -> listing);

    PartSenderTestBase() throws IOException {}

    PartSender sender(StoreUpload controller, StoreLimits limits, long heap) {
        return new PartSender(
                controller,
                upload.checksum,
                new TransferThreads(new ThreadCpuTimes()),
                writes::add,
                limits,
                PART,
                new HeapBudget(heap),
                0);
    }

    PartSender sender() {
        return sender(upload, LIMITS, 1 << 20);
    }

    /** Stores an object, and returns how many requests were repeated. */
    int store(byte[] object, StoreLimits limits) throws IOException, InterruptedException {
        try (PartSender sender = sender(upload, limits, 1 << 20)) {
            for (int at = 0; at < object.length; at += 10_000) {
                sender.append(object, at, Math.min(10_000, object.length - at));
            }
            List<String> tags = sender.finish();
            assertEquals(object.length, sender.bytes());
            upload.complete(tags);
            assertArrayEquals(object, store.object(FakeUpload.PATH));
            return repeats(sender);
        }
    }

    static int repeats(PartSender sender) {
        return sender.figures().failures().values().stream()
                .mapToInt(Integer::intValue)
                .sum();
    }

    StoreException fails(String expected, byte[] object) {
        IOException failure = assertThrows(IOException.class, () -> store(object, LIMITS));
        assertTrue(failure.getMessage().contains(expected), failure.getMessage());
        assertNull(store.object(FakeUpload.PATH));
        return assertInstanceOf(StoreException.class, failure.getCause());
    }

    Set<Integer> signedParts() {
        return upload.signed.stream().flatMap(List::stream).collect(Collectors.toSet());
    }

    /** Returns a function that fails the first request of each part. */
    void failOnce(String fault) {
        Set<Integer> met = ConcurrentHashMap.newKeySet();
        store.fail(request -> met.add(request.part()) ? fault : null);
    }
}
