package io.jenkins.plugins.compressionaware.engine.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.testing.FakeStore;
import io.jenkins.plugins.compressionaware.testing.FakeUpload;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that fail. */
class PartFailuresTest extends PartSenderTestBase {
    PartFailuresTest() throws IOException {}

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

    /** Many senders must not repeat at the same time. */
    @ParameterizedTest
    @CsvSource({"1, 250", "2, 500", "3, 1000", "7, 16000", "8, 20000", "10, 20000"})
    void pausesGrowAndDiffer(int made, long millis) {
        Set<Long> pauses = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            long pause = StoreLimits.DEFAULT.pauseNanos(made);
            assertTrue(pause >= millis * 500_000 && pause <= millis * 1_000_000, pause + " ns");
            pauses.add(pause);
        }
        assertTrue(pauses.size() > 900, pauses.size() + " different pauses");
    }

    @Test
    void figuresHaveCausesAndParallelRequests() throws Exception {
        store.fail(request -> request.number() == 1 ? "503 SlowDown" : request.number() == 2 ? FakeStore.RESET : null);
        try (PartSender sender = sender()) {
            sender.append(OBJECT, 0, OBJECT.length);
            upload.complete(sender.finish());
            StoreFigures figures = sender.figures().plus(StoreFigures.NONE);
            assertEquals(Map.of(StoreFailure.BUSY, 1, StoreFailure.BROKEN, 1), figures.failures());
            assertEquals(10, figures.nanos().length);
            assertEquals(10, figures.atOnce().length);
            for (int atOnce : figures.atOnce()) {
                assertTrue(atOnce >= 1 && atOnce <= sender.lanes(1), atOnce + " at once");
            }
        }
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
            assertEquals(1, repeats(sender));
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
                new HeapBudget(1 << 30),
                0);
    }

    @ParameterizedTest
    @CsvSource({
        "403 AccessDenied no, DENIED, HTTP 403 AccessDenied: no. The credentials of the store do not allow this"
                + " request.",
        "404 NoSuchUpload, MISSING, HTTP 404 NoSuchUpload.",
        "412 PreconditionFailed, CHANGED, HTTP 412 PreconditionFailed. The object was replaced.",
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
        String message = FakeUpload.PATH + " after 4 requests. The store answered HTTP 503 SlowDown.";
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
        assertTrue(failure.getMessage().contains("or the clock of the controller is wrong"), failure.getMessage());
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

    /** A store accepts a quarter of an hour, so that another reason has refused the request. */
    @Test
    void smallDifferenceIsNoWrongClock() {
        store.setClockAhead(Duration.ofMinutes(10));
        store.fail(request -> "403 AccessDenied");
        assertEquals(
                StoreFailure.DENIED, fails("HTTP 403 AccessDenied", new byte[1]).failure());
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
        store.fail(
                request -> request.number() == 1 ? "503 SlowDown" : request.number() == 2 ? "400 ExpiredToken" : null);
        assertEquals(2, store(new byte[1], LIMITS));
    }

    @Test
    void unreachableStoreFailsSoon() throws Exception {
        store.close();
        StoreException failure = fails("each agent need a connection of their own", OBJECT);
        assertEquals(StoreFailure.UNREACHABLE, failure.failure());
    }

    /** Connections are not accepted, as behind a firewall that drops packets. */
    @Test
    void connectTimeoutIsUnreachable() throws Exception {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket first = new Socket(InetAddress.getLoopbackAddress(), full.getLocalPort());
                Socket second = new Socket(InetAddress.getLoopbackAddress(), full.getLocalPort())) {
            StoreUpload unreachable = parts ->
                    new SignedRequest[] {new SignedRequest("http://127.0.0.1:" + full.getLocalPort() + "/bucket/key")};
            try (PartSender sender = sender(unreachable, new StoreLimits(100, 2, 1, System::nanoTime), 1 << 20)) {
                sender.append(OBJECT, 0, 1);
                IOException failure = assertThrows(IOException.class, sender::finish);
                assertEquals(StoreFailure.UNREACHABLE, ((StoreException) failure.getCause()).failure());
            }
        }
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
}
