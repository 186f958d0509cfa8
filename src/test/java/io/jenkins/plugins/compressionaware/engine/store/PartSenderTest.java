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
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PartSenderTest {
    private static final int PART = 64 * 1024;

    /** Ten parts, the last of which is short. */
    private static final byte[] OBJECT = new byte[9 * PART + 1];

    private static final StoreLimits LIMITS = new StoreLimits(10_000, 4, 1, System::nanoTime);

    static {
        new Random(1).nextBytes(OBJECT);
    }

    @AutoClose
    private final TestThreads threads = new TestThreads();

    @AutoClose
    private final FakeStore store = new FakeStore();

    private final Queue<LaneWrite> writes = new ConcurrentLinkedQueue<>();
    private FakeUpload upload = new FakeUpload(store, PartChecksum.CRC32C, listing -> listing);

    PartSenderTest() throws IOException {}

    private PartSender sender(StoreUpload controller, StoreLimits limits, long heap) {
        return new PartSender(
                controller,
                upload.checksum,
                new TransferThreads(new ThreadCpuTimes()),
                writes::add,
                limits,
                PART,
                new HeapBudget(heap));
    }

    private PartSender sender() {
        return sender(upload, LIMITS, 1 << 20);
    }

    /** Stores an object, and returns how many requests were repeated. */
    private int store(byte[] object, StoreLimits limits) throws IOException, InterruptedException {
        try (PartSender sender = sender(upload, limits, 1 << 20)) {
            for (int at = 0; at < object.length; at += 10_000) {
                sender.append(object, at, Math.min(10_000, object.length - at));
            }
            List<String> tags = sender.finish();
            assertEquals(object.length, sender.bytes());
            upload.complete(tags);
            assertArrayEquals(object, store.object(FakeUpload.PATH));
            return sender.figures().repeats();
        }
    }

    private StoreException fails(String expected, byte[] object) {
        IOException failure = assertThrows(IOException.class, () -> store(object, LIMITS));
        assertTrue(failure.getMessage().contains(expected), failure.getMessage());
        assertNull(store.object(FakeUpload.PATH));
        return assertInstanceOf(StoreException.class, failure.getCause());
    }

    private Set<Integer> signedParts() {
        return upload.signed.stream().flatMap(List::stream).collect(Collectors.toSet());
    }

    /** Returns a function that fails the first request of each part. */
    private void failOnce(String fault) {
        Set<Integer> met = ConcurrentHashMap.newKeySet();
        store.fail(request -> met.add(request.part()) ? fault : null);
    }

    @Test
    void smallObjectIsOneRequest() throws Exception {
        assertEquals(0, store(new byte[PART], LIMITS));
        assertEquals(1, store.requests.get());
        assertEquals(List.of(List.of(ObjectPart.WHOLE)), upload.signed);
    }

    @ParameterizedTest
    @EnumSource(PartChecksum.class)
    void largeObjectIsStoredInParts(PartChecksum checksum) throws Exception {
        upload = new FakeUpload(store, checksum, listing -> listing);
        assertEquals(0, store(OBJECT, LIMITS));
        assertEquals(10, store.requests.get());
        assertEquals(
                OBJECT.length, writes.stream().mapToInt(LaneWrite::wireLength).sum());
    }

    @Test
    void fourPartsAreSentAtATime() throws Exception {
        CountDownLatch four = new CountDownLatch(4);
        store.fail(request -> {
            four.countDown();
            try {
                assertTrue(four.await(30, TimeUnit.SECONDS), "fewer than four requests");
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return null;
        });
        store(OBJECT, LIMITS);
        assertEquals(4, store.most.get());
    }

    /** The controller answers late. */
    @Test
    void waitingPartsAreSignedTogether() throws Exception {
        CountDownLatch filled = new CountDownLatch(1);
        StoreUpload slow = parts -> {
            TestThreads.await(filled);
            return upload.sign(parts);
        };
        try (PartSender sender = sender(slow, LIMITS, 1 << 20)) {
            sender.append(OBJECT, 0, 5 * PART);
            filled.countDown();
            upload.complete(sender.finish());
        }
        assertTrue(upload.signed.size() < 4, upload.signed.toString());
    }

    @Test
    void controllerMakesTheEnd() throws Exception {
        upload = new FakeUpload(store, PartChecksum.CRC32C, listing -> new byte[] {3, listing[0]});
        try (PartSender sender = sender()) {
            sender.append(new byte[] {1}, 0, 1);
            sender.appendEnd(new byte[] {4});
            upload.complete(sender.finish());
        }
        assertArrayEquals(new byte[] {1, 3, 4}, store.object(FakeUpload.PATH));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "429 TooManyRequests",
                "500 InternalError",
                "502 ",
                "503 SlowDown",
                "504 ",
                "400 RequestTimeout",
                "408 ",
                FakeStore.DAMAGE,
                FakeStore.RESET,
                FakeStore.HALF,
                FakeStore.EARLY + "503 SlowDown"
            })
    void failedPartIsRepeatedAlone(String fault) throws Exception {
        failOnce(fault);
        int repeats = store(OBJECT, LIMITS);
        // the JDK may reuse a connection that the store closes, which is one more failure
        assertTrue(repeats == 10 || repeats > 10 && fault.startsWith(FakeStore.EARLY), repeats + " requests");
        assertEquals(Set.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), signedParts());
    }

    @Test
    void missingResponseIsNotAwaitedForLong() throws Exception {
        failOnce(FakeStore.SILENT);
        assertEquals(1, store(new byte[PART], new StoreLimits(200, 4, 1, System::nanoTime)));
    }

    /** The store reads nothing, so that a write blocks, which no time limit of the JDK ends. */
    @Test
    void stalledWriteIsRepeated() throws Exception {
        AtomicLong jump = new AtomicLong();
        store.fail(request -> {
            if (request.number() == 1) {
                awaitBlockedWrite();
                jump.set(TimeUnit.HOURS.toNanos(1));
                return FakeStore.UNREAD;
            }
            return null;
        });
        byte[] huge = new byte[16 << 20];
        StoreLimits limits = new StoreLimits(30_000, 4, 1, () -> System.nanoTime() + jump.get());
        try (PartSender sender = huge(limits)) {
            sender.append(huge, 0, huge.length);
            upload.complete(sender.finish());
            assertEquals(1, sender.figures().repeats());
        }
        assertEquals(huge.length, store.object(FakeUpload.PATH).length);
        store.close(); // ends the blocked write
    }

    private void awaitBlockedWrite() {
        try {
            for (int before = -1; before != writes.size(); ) {
                before = writes.size();
                TimeUnit.MILLISECONDS.sleep(500);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns a sender of one part, which is larger than the buffers of a connection. */
    private PartSender huge(StoreLimits limits) {
        return new PartSender(
                upload,
                upload.checksum,
                new TransferThreads(new ThreadCpuTimes()),
                writes::add,
                limits,
                16 << 20,
                new HeapBudget(1));
    }

    @ParameterizedTest
    @CsvSource({
        "403 AccessDenied no, DENIED, HTTP 403 AccessDenied: no. The credentials of the store do not allow this"
                + " request.",
        "404 NoSuchUpload, MISSING, HTTP 404 NoSuchUpload.",
        "301 PermanentRedirect, WRONG_REGION, Correct the region",
        "400 AuthorizationHeaderMalformed, WRONG_REGION, Correct the region",
        "302, NOT_A_STORE, Correct the endpoint",
        "200, NOT_A_STORE, HTTP 200.",
        "411, REFUSED, HTTP 411."
    })
    void otherFailuresAreNotRepeated(String response, StoreFailure cause, String message) {
        store.fail(request -> response);
        assertEquals(cause, fails(message, new byte[1]).failure());
        assertEquals(1, store.requests.get());
    }

    @Test
    void oneFailedPartFailsTheObject() {
        store.fail(request -> request.part() == 3 ? "503 SlowDown" : null);
        String message = "Cannot store the files after 4 requests. The store answered HTTP 503 SlowDown.";
        assertEquals(StoreFailure.BUSY, fails(message, OBJECT).failure());
    }

    /** The JDK loses the response of a store that closes the connection while the body is sent. */
    @Test
    void earlyRefusalIsUnderstood() {
        store.fail(request -> FakeStore.EARLY + "403 AccessDenied");
        byte[] huge = new byte[16 << 20];
        IOException failure = assertThrows(IOException.class, () -> {
            try (PartSender sender = huge(LIMITS)) {
                sender.append(huge, 0, huge.length);
                sender.finish();
            }
        });
        assertTrue(failure.getMessage().contains("HTTP 403"), failure.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"61, 61 min behind", "-61, 61 min ahead of"})
    void wrongClockIsNamed(long minutes, String expected) {
        store.setClockAhead(Duration.ofMinutes(minutes).plusSeconds(Long.signum(minutes) * 20));
        StoreException failure =
                fails("The clock of the controller is " + expected + " that of the store.", new byte[1]);
        assertEquals(StoreFailure.CLOCK, failure.failure());
        assertEquals(1, store.requests.get());
    }

    @Test
    void expiredRequestIsSignedAnew() throws Exception {
        upload.valid = Duration.ofSeconds(1);
        store.setClockAhead(Duration.ofSeconds(3));
        store.fail(request -> {
            upload.valid = Duration.ofMinutes(1);
            return null;
        });
        assertEquals(1, store(new byte[1], LIMITS));
        upload.valid = Duration.ofSeconds(1);
        store.fail(request -> null);
        store.delete(FakeUpload.PATH);
        assertEquals(
                StoreFailure.EXPIRED, fails("Request has expired", new byte[1]).failure());
    }

    @Test
    void expiredRequestIsSignedAnewAfterOtherFailures() throws Exception {
        store.fail(request -> request.number() == 1
                ? "503 SlowDown"
                : request.number() == 2 ? "400 ExpiredToken" : null);
        assertEquals(2, store(new byte[1], LIMITS));
    }

    @Test
    void unreachableStoreFailsSoon() throws Exception {
        store.close();
        StoreException failure = fails("Agents need a connection of their own", OBJECT);
        assertEquals(StoreFailure.UNREACHABLE, failure.failure());
    }

    @Test
    void refusalByTheControllerFailsTheObject() throws Exception {
        StoreUpload refusing = parts -> {
            throw new IOException("the build was deleted");
        };
        try (PartSender sender = sender(refusing, LIMITS, 1 << 20)) {
            sender.append(OBJECT, 0, 1);
            IOException failure = assertThrows(IOException.class, sender::finish);
            assertEquals("the build was deleted", failure.getMessage());
        }
    }

    @Test
    void closeEndsWaitingThreads() throws Exception {
        store.fail(request -> FakeStore.SILENT);
        Future<?> appending;
        try (PartSender sender = sender()) {
            appending = threads.startBlocking(() -> {
                sender.append(OBJECT, 0, OBJECT.length);
                return null;
            });
        }
        assertThrows(Exception.class, appending::get);
    }

    /** With a budget for two parts, one is sent while the other is filled. */
    @Test
    void smallHeapHasFewerParts() throws Exception {
        try (PartSender sender = sender(upload, LIMITS, 4 * PART)) {
            assertEquals(1, sender.lanes());
            sender.append(OBJECT, 0, OBJECT.length);
            upload.complete(sender.finish());
        }
        assertEquals(1, store.most.get());
        try (PartSender sender = sender(upload, LIMITS, 1)) {
            assertEquals(1, sender.lanes());
        }
    }

    @Test
    void partsGrowSoThatTerabytesFit() {
        PartSender sender = new PartSender(
                upload, upload.checksum, new TransferThreads(new ThreadCpuTimes()), writes::add);
        long total = 0;
        for (int part = 1; part <= 10_000; part++) {
            total += sender.length(part);
        }
        assertEquals(8 << 20, sender.length(1));
        assertEquals(8 << 20, sender.length(2500), "20 GB need no more memory");
        assertTrue(total > 5e12, total + " bytes");
        sender.close();
    }
}
