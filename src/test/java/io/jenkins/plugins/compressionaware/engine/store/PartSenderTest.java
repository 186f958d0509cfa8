package io.jenkins.plugins.compressionaware.engine.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PartSenderTest extends PartSenderTestBase {
    PartSenderTest() throws IOException {}

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
            while (!sender.waitsForController()) {
                Thread.sleep(1);
            }
            filled.countDown();
            upload.complete(sender.finish());
            assertFalse(sender.waitsForController());
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

    /** Two parts are sent while another is filled, whatever the heap; they are shorter then. */
    @Test
    void smallHeapHasFewerAndShorterParts() throws Exception {
        try (PartSender sender = sender(upload, LIMITS, 1)) {
            assertEquals(2, sender.lanes(1));
            assertEquals(PART * 5 / 8, sender.length(1));
            sender.append(OBJECT, 0, OBJECT.length);
            upload.complete(sender.finish());
        }
        assertTrue(store.most.get() <= 2, store.most + " at a time");
        try (PartSender sender = sender(upload, LIMITS, 10 * PART)) {
            assertEquals(4, sender.lanes(1));
            assertEquals(PART, sender.length(1));
        }
    }

    @ParameterizedTest
    @CsvSource({"128, 8388608, 2500, 5000000000000", "4, 5242880, 7000, 350000000000"})
    void partsGrowSoThatLargeObjectsFit(int heapMebibytes, int first, int count, long least) {
        try (PartSender sender = largeObject(heapMebibytes, 0)) {
            assertEquals(first, sender.length(1));
            assertEquals(first, sender.length(count), "more memory");
            assertTrue(sender.length(count + 1) > first);
            assertTrue(sum(sender) > least, sum(sender) + " bytes");
        }
    }

    /** With growing parts, the last ones of 20 GB had 20 MiB in a heap of 64 MiB, which has no space for two of them. */
    @ParameterizedTest
    @CsvSource({"20000000000, 5242880", "100000000000, 10000000", "5000000000001, 500000001"})
    void partsOfAKnownLengthDoNotGrow(long size, int each) {
        try (PartSender sender = largeObject(4, size)) {
            assertEquals(each, sender.length(1));
            assertEquals(each, sender.length(10_000));
            assertTrue(sum(sender) >= size);
            assertEquals(2, sender.lanes(10_000));
        }
    }

    private PartSender largeObject(int heapMebibytes, long size) {
        return new PartSender(
                upload,
                upload.checksum,
                new TransferThreads(new ThreadCpuTimes()),
                writes::add,
                LIMITS,
                8 << 20,
                new HeapBudget((long) heapMebibytes << 20),
                size);
    }

    private static long sum(PartSender sender) {
        return IntStream.rangeClosed(1, 10_000).mapToLong(sender::length).sum();
    }
}
