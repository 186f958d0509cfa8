package io.jenkins.plugins.compressionaware.engine.receive;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.flow.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.flow.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneGroup;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.testing.LaneEnd;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Direct lanes that fetch, where nothing can reach what they do. */
@Timeout(30)
class DirectDownloadLanesTest {
    private static final String ADDRESS = "http://far.example/";

    private final CountDownLatch end = new CountDownLatch(1);
    private final DownloadBuffer pieces =
            new DownloadBuffer(1000, new HeapBudget(1 << 30).open(0, 4L * DownloadBuffer.RANGE_BYTES));

    private DirectLaneGroup fetch(boolean required, TransferThreads threads) {
        return new DirectLaneGroup(
                new DirectLaneOffer(
                        new ArrayList<>(List.of(ADDRESS)),
                        LaneEnd.SECRET,
                        false,
                        3,
                        required,
                        1,
                        new DirectLaneOffer.Limits(20, 20)),
                new DirectDownloadLanes(pieces),
                threads);
    }

    /** As one does while a name is resolved, which nothing breaks off. */
    private TransferThreads whoseProbeDoesNotEnd() {
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
                            // as if nothing had been
                        }
                    }
                }));
    }

    @Test
    void aProbeThatDoesNotEndFailsWhatRequiresTheLane() throws Exception {
        try (DirectLaneGroup fetch = fetch(true, whoseProbeDoesNotEnd())) {
            fetch.open();
            assertFails(
                    "Direct HTTP transfer is required, but failed: no answer within 20 ms",
                    () -> pieces.takeForStream(1));
        } finally {
            end.countDown();
            Threads.joinTransfers();
        }
    }

    @Test
    void aProbeThatDoesNotEndIsTold() throws Exception {
        try (DirectLaneGroup fetch = fetch(false, whoseProbeDoesNotEnd())) {
            fetch.open();
            while (fetch.report(1) == null) {
                Thread.sleep(1);
            }
            assertTrue(fetch.report(1).failed());
            assertEquals("no answer within 20 ms", fetch.report(1).problem());
            assertEquals(new DownloadBuffer.Run(0, 1), pieces.takeForStream(1));
        } finally {
            end.countDown();
            Threads.joinTransfers();
        }
    }
}
