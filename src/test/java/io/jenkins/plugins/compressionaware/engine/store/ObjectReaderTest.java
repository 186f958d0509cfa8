package io.jenkins.plugins.compressionaware.engine.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.FakeStore;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ObjectReaderTest {
    private static final String PATH = "/bucket/key";
    private static final byte[] OBJECT = new byte[3_000_000];

    static {
        new Random(1).nextBytes(OBJECT);
    }

    @AutoClose
    private final TestThreads threads = new TestThreads();

    @AutoClose
    private final FakeStore store = new FakeStore();

    private final AtomicInteger signatures = new AtomicInteger();
    private final String tag = store.put(PATH, OBJECT);
    private final AtomicLong passed = new AtomicLong();
    private volatile Duration valid = Duration.ofMinutes(10);

    ObjectReaderTest() throws IOException {}

    private ObjectReader reader(int millis) {
        return new ObjectReader(
                () -> {
                    signatures.incrementAndGet();
                    return new SignedRequest(store.sign("GET", PATH, Map.of(), valid));
                },
                OBJECT.length,
                tag,
                new StoreLimits(millis, 4, 1, () -> System.nanoTime() + passed.get()));
    }

    private static void assertRange(ObjectReader reader, int from, int length) throws IOException {
        try (InputStream in = reader.open(from, length)) {
            assertArrayEquals(Arrays.copyOfRange(OBJECT, from, from + length), in.readAllBytes());
        }
    }

    @Test
    void oneSignatureAndConnectionServeManyRanges() throws Exception {
        ObjectReader reader = reader(10_000);
        for (int i = 0; i < 10; i++) {
            assertRange(reader, i * 1000, 100_000);
        }
        assertRange(reader, 0, OBJECT.length);
        assertRange(reader, OBJECT.length - 1, 1);
        assertEquals(1, signatures.get());
        assertEquals(1, store.accepted.get(), "connections were not kept");
    }

    @Test
    void answersAreReported() throws Exception {
        Queue<String> answers = new ConcurrentLinkedQueue<>();
        StoreAnswers.observe((kind, answer) -> answers.add(kind + " " + answer));
        try {
            store.fail(request -> request.number() == 1 ? "503 SlowDown" : null);
            assertRange(reader(10_000), 0, 1000);
            assertEquals(List.of("get busy", "get ok"), List.copyOf(answers));
        } finally {
            StoreAnswers.observe((kind, answer) -> {});
        }
    }

    @Test
    void rangesAreReadInParallel() throws Exception {
        ObjectReader reader = reader(10_000);
        List<Future<?>> ranges = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int from = i * 100_000;
            ranges.add(threads.submit(() -> {
                assertRange(reader, from, 200_000);
                return null;
            }));
        }
        for (Future<?> range : ranges) {
            range.get();
        }
        assertEquals(1, signatures.get());
    }

    @ParameterizedTest
    @ValueSource(strings = {"500 InternalError", "503 SlowDown", "429 x", FakeStore.RESET, FakeStore.HALF})
    void failedRequestIsRepeated(String fault) throws Exception {
        store.fail(request -> request.number() <= 3 ? fault : null);
        assertRange(reader(10_000), 7, OBJECT.length - 7);
        assertEquals(4, store.requests.get());
    }

    /** Each request brings half of what is missing, which are more requests than may fail in a row. */
    @Test
    void brokenResponseIsContinued() throws Exception {
        Set<String> ranges = ConcurrentHashMap.newKeySet();
        store.fail(request -> {
            ranges.add(request.headers().get("range"));
            return request.number() <= 10 ? FakeStore.HALF : null;
        });
        assertRange(reader(10_000), 0, OBJECT.length);
        assertEquals(11, ranges.size(), ranges.toString());
    }

    @Test
    void missingResponseIsNotAwaitedForLong() throws Exception {
        store.fail(request -> request.number() == 1 ? FakeStore.SILENT : null);
        assertRange(reader(300), 0, 10);
    }

    @ParameterizedTest
    @CsvSource({
        "403 AccessDenied, DENIED, 1",
        "403 InvalidObjectState, ARCHIVED, 1",
        "404 NoSuchKey, MISSING, 1",
        "412 PreconditionFailed, CHANGED, 1",
        "416 InvalidRange, REFUSED, 1",
        "200, NOT_A_STORE, 1",
        "503 SlowDown, BUSY, 4"
    })
    void otherFailuresAreNotRepeated(String response, StoreFailure cause, int requests) {
        store.fail(request -> response);
        StoreException failure = assertThrows(StoreException.class, () -> assertRange(reader(10_000), 0, 10));
        assertEquals(cause, failure.failure());
        String start = "Cannot read http://localhost:" + store.port() + PATH + ". ";
        assertTrue(failure.getMessage().startsWith(start), failure.getMessage());
        assertEquals(requests, store.requests.get());
    }

    @Test
    void replacedObjectIsNotRead() {
        byte[] other = OBJECT.clone();
        other[0]++;
        store.put(PATH, other);
        StoreException failure = assertThrows(StoreException.class, () -> assertRange(reader(10_000), 5, 10));
        assertEquals(StoreFailure.CHANGED, failure.failure());
    }

    @Test
    void expiredSignatureIsReplaced() throws Exception {
        ObjectReader reader = reader(10_000);
        assertRange(reader, 0, 10);
        store.setClockAhead(Duration.ofMinutes(2));
        valid = Duration.ofMinutes(1);
        ObjectReader late = reader(10_000);
        store.fail(request -> {
            valid = Duration.ofMinutes(5);
            return null;
        });
        assertRange(late, 0, 10);
        assertRange(late, 10, 10);
        assertEquals(3, signatures.get());
    }

    /** A download of more than a quarter of an hour, after which the date of the response differs from that of the signature as with a wrong clock. */
    @Test
    void oldSignatureIsNoWrongClock() throws Exception {
        ObjectReader reader = reader(10_000);
        assertRange(reader, 0, 10);
        Duration later = Duration.ofHours(7);
        store.setClockAhead(later);
        passed.set(later.toNanos());
        valid = later.plusMinutes(5);
        assertRange(reader, 10, 10);
        assertEquals(2, signatures.get());
    }

    @Test
    void failureToSignIsReported() {
        ObjectReader reader = new ObjectReader(
                () -> {
                    throw new IOException("no credentials");
                },
                10,
                tag);
        IOException failure =
                assertThrows(IOException.class, () -> reader.open(0, 1).read());
        assertEquals("no credentials", failure.getMessage());
    }

    @Test
    void readsInSequenceShareRequests() throws Exception {
        try (StoredObject object = new StoredObject("x", reader(10_000))) {
            byte[] part = new byte[1000];
            for (int at = 0; at < 2_000_000; at += part.length) {
                object.read(at, part, 0, part.length);
                assertArrayEquals(Arrays.copyOfRange(OBJECT, at, at + part.length), part);
            }
        }
        assertTrue(store.requests.get() < 15, store.requests.get() + " requests");
    }

    @Test
    void readsAtRandomReturnTheirBytes() throws Exception {
        Random random = new Random(2);
        try (StoredObject object = new StoredObject("x", reader(10_000))) {
            assertEquals(OBJECT.length, object.length());
            for (int i = 0; i < 200; i++) {
                int length = random.nextInt(5000);
                int from = random.nextInt(i % 2 == 0 ? 20_000 : OBJECT.length - length);
                assertArrayEquals(Arrays.copyOfRange(OBJECT, from, from + length), object.read(from, length));
            }
            assertThrows(EOFException.class, () -> object.read(OBJECT.length - 1, 2));
            assertThrows(EOFException.class, () -> object.read(-1, 2));
        }
    }

    /** The read after a failure begins at its own position. */
    @Test
    void readAfterFailureSucceeds() throws Exception {
        try (StoredObject object = new StoredObject("x", reader(10_000))) {
            object.read(0, 10);
            store.fail(request -> "403 AccessDenied");
            assertThrows(StoreException.class, () -> object.read(10, 100_000));
            store.fail(request -> null);
            assertArrayEquals(Arrays.copyOfRange(OBJECT, 10, 20), object.read(10, 10));
        }
    }
}
