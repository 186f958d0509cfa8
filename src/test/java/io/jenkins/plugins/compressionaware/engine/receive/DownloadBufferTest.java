package io.jenkins.plugins.compressionaware.engine.receive;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
        return buffer.read(new byte[FileRanges.RANGE_BYTES], 0, FileRanges.RANGE_BYTES, false) > 0;
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
}
