package io.jenkins.plugins.compressionaware.engine.receive;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.LaneEnd;
import io.jenkins.plugins.compressionaware.testing.Threads;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLanes;
import io.jenkins.plugins.compressionaware.engine.lane.DirectOffer;
import io.jenkins.plugins.compressionaware.engine.flow.ThreadTimes;
import io.jenkins.plugins.compressionaware.engine.flow.TransferThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Direct lanes that fetch, where nothing can reach what they do. */
@Timeout(30)
class DirectFetchTest {
    private static final String ADDRESS = "http://far.example/";

    private final CountDownLatch end = new CountDownLatch(1);
    private final FilePieces pieces = new FilePieces(1000, new HeapBudget(1 << 30).open(0, 4L * FilePieces.SIZE));

    private DirectLanes fetch(boolean required, TransferThreads threads) {
        return new DirectLanes(
                new DirectOffer(
                        new ArrayList<>(List.of(ADDRESS)),
                        LaneEnd.SECRET,
                        false,
                        3,
                        required,
                        1,
                        new DirectOffer.Limits(20, 20)),
                new DirectFetch(pieces),
                threads);
    }

    /** As one does while a name is resolved, which nothing breaks off. */
    private TransferThreads whoseProbeDoesNotEnd() {
        return new TransferThreads(
                new ThreadTimes(),
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
        try (DirectLanes fetch = fetch(true, whoseProbeDoesNotEnd())) {
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
        try (DirectLanes fetch = fetch(false, whoseProbeDoesNotEnd())) {
            fetch.open();
            while (fetch.report(1) == null) {
                Thread.sleep(1);
            }
            assertTrue(fetch.report(1).lost());
            assertEquals("no answer within 20 ms", fetch.report(1).trouble());
            assertEquals(new FilePieces.Run(0, 1), pieces.takeForStream(1));
        } finally {
            end.countDown();
            Threads.joinTransfers();
        }
    }
}
