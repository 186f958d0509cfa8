package io.jenkins.plugins.compressionaware.engine.receive;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.LaneBalance;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneGroup;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.testing.Offers;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DownloadBufferTest {
    private static final String ADDRESS = "http://far.example/";

    private final CountDownLatch end = new CountDownLatch(1);
    private final DownloadBuffer buffer =
            new DownloadBuffer(new FileRanges(1000), new HeapBudget(1 << 30).open(0, 4L * FileRanges.RANGE_BYTES));

    private DirectLaneGroup lanes(boolean required, TransferThreads threads) {
        DirectLaneOffer offer = Offers.of(Offers.SECRET, 3, required, new DirectLaneOffer.Limits(20, 20), ADDRESS);
        return new DirectLaneGroup(offer, buffer, threads);
    }

    /** Creates threads whose probe ignores interrupts, like the resolution of a host name. */
    private TransferThreads threadsWithHangingProbe() {
        return new TransferThreads(
                new ThreadCpuTimes(),
                task -> new Thread(() -> {
                    if (!Thread.currentThread().getName().endsWith("direct probe")) {
                        task.run();
                        return;
                    }
                    while (end.getCount() > 0) {
                        try {
                            end.await();
                        } catch (InterruptedException e) {
                            // ignored
                        }
                    }
                }));
    }

    @Test
    void hangingProbeFailsDownloadThatRequiresDirectLane() throws Exception {
        try (DirectLaneGroup lanes = lanes(true, threadsWithHangingProbe())) {
            lanes.open();
            assertFails(
                    "Direct HTTP transfer is required, but failed: no answer within 20 ms",
                    () -> buffer.takeForStream(1));
        } finally {
            end.countDown();
            Threads.joinTransfers();
        }
    }

    @Test
    void hangingProbeIsReportedAndStreamContinues() throws Exception {
        try (DirectLaneGroup lanes = lanes(false, threadsWithHangingProbe())) {
            lanes.open();
            while (lanes.report(1) == null) {
                Thread.sleep(1);
            }
            assertTrue(lanes.report(1).failed());
            assertEquals("no answer within 20 ms", lanes.report(1).problem());
            assertEquals(new RangeSpan(0, 1), buffer.takeForStream(1));
        } finally {
            end.countDown();
            Threads.joinTransfers();
        }
    }

    private final byte[] file = new byte[100 * FileRanges.RANGE_BYTES];
    private final DownloadBuffer fileBuffer =
            new DownloadBuffer(new FileRanges(file.length), new HeapBudget(1).open(0, 16L * FileRanges.RANGE_BYTES));

    private boolean readRange() throws IOException, InterruptedException {
        return readRange(fileBuffer);
    }

    private static boolean readRange(DownloadBuffer buffer) throws IOException, InterruptedException {
        byte[] range = buffer.take(false);
        if (range != null) {
            buffer.release(range);
        }
        return range != null;
    }

    /** At 10 Mbit/s, 80,000 bytes take 64 ms. */
    @Test
    void slowLinksFirstBytesAreReadBeforeTheRestHasArrived() throws Exception {
        RangeSpan request = fileBuffer.takeForStream(8);
        var link = new DataInputStream(new ByteArrayInputStream(file, 0, 80_000));
        assertThrows(EOFException.class, () -> fileBuffer.read(request, link));
        assertTrue(readRange(), "a range has arrived");
    }

    /** The grant of the first unstash shrinks when others start, and its spare arrays must not exceed it. */
    @Test
    void spareArraysStayWithinGrantedHeap() throws Exception {
        HeapBudget budget = new HeapBudget(64L * FileRanges.RANGE_BYTES);
        DownloadBuffer first =
                new DownloadBuffer(new FileRanges(file.length), budget.open(0, 4L * FileRanges.RANGE_BYTES));
        RangeSpan request = first.takeForStream(32);
        first.read(request, new DataInputStream(new ByteArrayInputStream(file)));
        assertEquals(32, first.heldRanges());
        List<DownloadBuffer> others = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            others.add(new DownloadBuffer(new FileRanges(file.length), budget.open(0, 4L * FileRanges.RANGE_BYTES)));
        }
        while (readRange(first)) {
            assertTrue(first.heldRanges() <= 32);
        }
        assertTrue(first.heldRanges() < 16, first.heldRanges() + " ranges are held");
        assertEquals(8, others.size());
    }

    @Test
    void freedHeapIsRequestedInRunsOfFourRanges() throws Exception {
        List<Integer> counts = new ArrayList<>();
        fileBuffer.read(fileBuffer.takeForStream(16), new DataInputStream(new ByteArrayInputStream(file)));
        while (readRange()) {
            Optional.ofNullable(fileBuffer.pollForStream(8)).ifPresent(span -> counts.add(span.count()));
        }
        assertEquals(Collections.nCopies(4, 4), counts);
    }

    private final AtomicLong clock = new AtomicLong();

    /** Returns a request of a direct lane for the first four ranges. The window has 16. */
    private RangeSpan sharedRequest() throws Exception {
        fileBuffer.share(new LaneBalance(1, DirectDownloadLane.MAX_BODY, 10e9), clock::get);
        fileBuffer.addLanes(1);
        RangeSpan request = fileBuffer.takeForDirect(DirectDownloadLane.MAX_BODY);
        assertEquals(new RangeSpan(0, 4), request);
        return request;
    }

    private void pass(long millis) {
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void streamsContinueBesideFirstRequest() throws Exception {
        sharedRequest();
        assertEquals(new RangeSpan(4, 8), fileBuffer.pollForStream(8));
    }

    /** The request starts after the stream has begun to wait, and it alone may be late. */
    @Test
    void streamThatAlreadyRestsNoticesLateRequest() throws Exception {
        LaneBalance balance = new LaneBalance(1, DirectDownloadLane.MAX_BODY, 10e9);
        fileBuffer.share(balance, clock::get);
        fileBuffer.addLanes(1);
        balance.streamWrote(2 * Credit.STREAM_WINDOW, 1e9, 0);
        for (int i = 0; i < 20; i++) { // until streams rest
            pass(1);
            balance.delivered(balance.body(), 1e6, false, clock.get());
        }
        FutureTask<RangeSpan> stream = new FutureTask<>(() -> fileBuffer.takeForStream(8));
        Thread thread = new Thread(stream);
        thread.setDaemon(true);
        thread.start();
        while (thread.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        fileBuffer.takeForDirect(4 * FileRanges.RANGE_BYTES);
        assertThrows(TimeoutException.class, () -> stream.get(100, TimeUnit.MILLISECONDS));
        pass(60);
        assertEquals(new RangeSpan(4, 8), stream.get(10, TimeUnit.SECONDS));
    }

    @Test
    void rangesThatFullHeapKeptFromDirectLaneAreRequestedOverStream() throws Exception {
        AtomicInteger reads = new AtomicInteger();
        fileBuffer.share(new LaneBalance(1, DirectDownloadLane.MAX_BODY, 10e9), () -> {
            if (reads.incrementAndGet() == 3) { // for the start of the request
                throw new OutOfMemoryError("simulated");
            }
            return clock.get();
        });
        fileBuffer.addLanes(1);
        reads.set(1);
        assertThrows(OutOfMemoryError.class, () -> fileBuffer.takeForDirect(DirectDownloadLane.MAX_BODY));
        fileBuffer.removeLane();
        assertEquals(new RangeSpan(0, 8), fileBuffer.pollForStream(8));
    }

    @Test
    void overdueRangesThatHaveNotArrivedAreRequestedOnceOverStream() throws Exception {
        RangeSpan request = sharedRequest();
        pass(20);
        assertEquals(new RangeSpan(4, 12), fileBuffer.pollForStream(16));
        var link = new DataInputStream(new ByteArrayInputStream(file));
        fileBuffer.read(0, link);
        pass(1000);
        for (int i = 1; i < 4; i++) {
            RangeSpan again = fileBuffer.pollForStream(8);
            assertEquals(new RangeSpan(i, 1), again);
            fileBuffer.readStream(again, link);
        }
        fileBuffer.removeLane(request);
        assertNull(fileBuffer.pollForStream(8), "nothing is left to request");
        assertEquals(0, fileBuffer.read(1, link), "a late response delivers nothing");
    }

    /** Heap for many further ranges is granted, but none of them helps the reading thread. */
    @Test
    void overdueRangesAreRequestedBeforeOthersWhileReaderWaits() throws Exception {
        DownloadBuffer wide =
                new DownloadBuffer(new FileRanges(64 << 20), new HeapBudget(1 << 30).open(0, FileRanges.RANGE_BYTES));
        wide.share(new LaneBalance(1, DirectDownloadLane.MAX_BODY, 10e9), clock::get);
        wide.addLanes(1);
        assertEquals(new RangeSpan(0, 4), wide.takeForDirect(DirectDownloadLane.MAX_BODY));
        pass(60);
        assertEquals(new RangeSpan(4, 8), wide.pollForStream(8), "the reader does not wait");
        Thread reader = new Thread(() -> assertThrows(IOException.class, () -> wide.take(true)));
        reader.setDaemon(true);
        reader.start();
        while (reader.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        assertEquals(new RangeSpan(0, 1), wide.pollForStream(8));
        wide.fail(new IOException("the end of the test"));
    }

    @Test
    void rangesOfLateRequestAreNoLongerRepeatedAfterItHasDelivered() throws Exception {
        RangeSpan request = sharedRequest();
        pass(20);
        fileBuffer.pollForStream(16);
        pass(1000);
        assertEquals(new RangeSpan(0, 1), fileBuffer.pollForStream(8));
        fileBuffer.read(request, new DataInputStream(new ByteArrayInputStream(file)));
        fileBuffer.delivered(request, 1);
        assertNull(fileBuffer.pollForStream(8));
    }

    @Test
    void rangesOfFailedRequestAreRequestedOverStream() throws Exception {
        fileBuffer.share(new LaneBalance(1, DirectDownloadLane.MAX_BODY, 10e9), clock::get);
        fileBuffer.addLanes(2);
        RangeSpan first = fileBuffer.takeForDirect(DirectDownloadLane.MAX_BODY);
        fileBuffer.read(first, new DataInputStream(new ByteArrayInputStream(file)));
        fileBuffer.delivered(first, 1000);
        RangeSpan second = fileBuffer.takeForDirect(DirectDownloadLane.MAX_BODY);
        fileBuffer.removeLane(second);
        assertEquals(new RangeSpan(second.first(), 1), fileBuffer.pollForStream(8));
    }
}
