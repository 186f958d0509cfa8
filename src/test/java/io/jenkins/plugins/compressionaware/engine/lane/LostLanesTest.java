package io.jenkins.plugins.compressionaware.engine.lane;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.jenkins.plugins.compressionaware.engine.flow.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.flow.TransferThreads;
import io.jenkins.plugins.compressionaware.testing.FakeEndpoint;
import io.jenkins.plugins.compressionaware.testing.LaneEnd;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.IOException;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Direct lanes that end in each way. Only the probe is a request. */
@Timeout(30)
class LostLanesTest {
    private static final Runnable FULL_HEAP = () -> {
        throw new OutOfMemoryError("none left");
    };

    private final CountDownLatch over = new CountDownLatch(1);
    private final Work work = new Work();
    private final FakeEndpoint endpoint = new FakeEndpoint(null);
    private DirectLaneGroup lanes;

    LostLanesTest() throws IOException {}

    @AfterEach
    void end() throws Exception {
        over.countDown();
        lanes.close();
        endpoint.close();
        Threads.joinTransfers();
    }

    /** Makes lanes that end as they are told, in that order, and any further ones that last. */
    private final class Work implements DirectLaneClient {
        private final AtomicInteger begun = new AtomicInteger();
        private final AtomicReference<IOException> failure = new AtomicReference<>();
        private final Deque<Lane> next = new ArrayDeque<>();

        @Override
        public boolean addLanes(int number) {
            begun.addAndGet(number);
            return true;
        }

        @Override
        public void removeLane() {
            begun.decrementAndGet();
        }

        @Override
        public synchronized DirectLane<?> lane(HttpLaneConnection connection) {
            return next.isEmpty() ? new Lane(null, work::removeLane) : next.remove();
        }

        @Override
        public void fail(IOException reason) {
            failure.compareAndSet(null, reason);
        }
    }

    private final class Lane extends DirectLane<String> {
        private final IOException end;
        private final Runnable giveBack;
        private boolean taken;

        /** @param end how it breaks; null if it delivers something and lasts */
        Lane(IOException end, Runnable giveBack) {
            super(null);
            this.end = end;
            this.giveBack = giveBack;
        }

        @Override
        protected String take() throws InterruptedException {
            if (taken) {
                over.await();
                return null;
            }
            taken = true;
            return "work";
        }

        @Override
        protected void deliver(String work, HttpLaneConnection connection) throws IOException {
            if (end != null) {
                throw end;
            }
            confirm(10);
        }

        @Override
        protected void giveBack(String undelivered) {
            giveBack.run();
        }
    }

    private String url() {
        return "http://127.0.0.1:" + endpoint.port() + "/";
    }

    private Lane resetting() {
        return new Lane(new SocketException("Connection reset"), work::removeLane);
    }

    private DirectLaneReport report(boolean required, int lasting, Lane... ends) throws Exception {
        work.next.addAll(List.of(ends));
        lanes = new DirectLaneGroup(
                new DirectLaneOffer(
                        new ArrayList<>(List.of(url())),
                        LaneEnd.SECRET,
                        false,
                        2,
                        required,
                        1,
                        new DirectLaneOffer.Limits(20_000, 20_000)),
                work,
                new TransferThreads(new ThreadCpuTimes()));
        lanes.open();
        await().until(() -> lanes.report(1) != null && work.next.isEmpty() && work.begun.get() == lasting);
        await().until(() -> lasting == 0 || lanes.report(1).wireBytes() > 0);
        return lanes.report(1);
    }

    @Test
    void eachMayBreakOnce() throws Exception {
        DirectLaneReport report = report(false, 2, resetting(), resetting());
        assertEquals(DirectLaneReport.Outcome.WORKED, report.outcome());
        assertNull(report.problem());
        assertEquals(2, report.connections());
    }

    @Test
    void oneThatBreaksTwiceIsNotAllOfThem() throws Exception {
        // the second lane lasts, whichever of the first is replaced
        DirectLaneReport report = report(false, 1, resetting(), new Lane(null, work::removeLane), resetting());
        assertEquals(DirectLaneReport.Outcome.LOST_A_CONNECTION, report.outcome());
        assertEquals(url() + ": Connection reset", report.problem());
    }

    @Test
    void allThatBreakTwice() throws Exception {
        DirectLaneReport report = report(false, 0, resetting(), resetting(), resetting(), resetting());
        assertEquals(DirectLaneReport.Outcome.LOST, report.outcome());
    }

    /** As any answer that says no. */
    @Test
    void oneThatIsRefusedIsNotReplaced() throws Exception {
        Lane refused =
                new Lane(new HttpLaneConnection.WrongAnswerException("no", LaneFailure.REFUSED), work::removeLane);
        DirectLaneReport report = report(false, 1, refused);
        assertEquals(DirectLaneReport.Outcome.LOST_A_CONNECTION, report.outcome());
    }

    @Test
    void aReasonThatCannotBeToldCountsAllTheSame() throws Exception {
        IOException untold = new IOException() {
            private static final long serialVersionUID = 1;

            @Override
            public String getMessage() {
                throw new OutOfMemoryError("none left");
            }
        };
        DirectLaneReport report =
                report(true, 0, new Lane(untold, work::removeLane), new Lane(untold, work::removeLane));
        assertNotNull(work.failure.get(), "it is required");
    }

    @Test
    void workThatCannotBeGivenBackFailsTheTransfer() throws Exception {
        Lane lost = new Lane(new HttpLaneConnection.WrongAnswerException("no", LaneFailure.REFUSED), FULL_HEAP);
        report(false, 2, lost);
        await().until(() -> work.failure.get() != null);
    }
}
