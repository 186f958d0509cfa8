package io.jenkins.plugins.compressionaware.engine.lane;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.jenkins.plugins.compressionaware.engine.flow.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.flow.TransferThreads;
import io.jenkins.plugins.compressionaware.testing.FakeEndpoint;
import io.jenkins.plugins.compressionaware.testing.Offers;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.IOException;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how a {@link DirectLaneGroup} handles lanes that end; only the probe is a real request. */
@Timeout(30)
class LostLanesTest {
    private static final Runnable FULL_HEAP = () -> {
        throw new OutOfMemoryError("none left");
    };

    private final CountDownLatch finished = new CountDownLatch(1);
    private final PreparedLanes client = new PreparedLanes();
    private final FakeEndpoint endpoint = new FakeEndpoint(null);
    private DirectLaneGroup lanes;

    LostLanesTest() throws IOException {}

    @AfterEach
    void end() throws Exception {
        finished.countDown();
        lanes.close();
        endpoint.close();
        Threads.joinTransfers();
    }

    /** Returns prepared lanes in order, then lanes that last. */
    private final class PreparedLanes implements DirectLaneClient {
        private final AtomicInteger lanesInUse = new AtomicInteger();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final Deque<Lane> next = new ArrayDeque<>();

        @Override
        public boolean addLanes(int number) {
            lanesInUse.addAndGet(number);
            return true;
        }

        @Override
        public void removeLane() {
            lanesInUse.decrementAndGet();
        }

        @Override
        public synchronized DirectLane<?> lane(HttpLaneConnection connection) {
            return next.isEmpty() ? new Lane(null) : next.remove();
        }

        @Override
        public void fail(Throwable reason) {
            failure.compareAndSet(null, reason);
        }
    }

    private final class Lane extends DirectLane<String> {
        private final IOException end;
        private final Runnable returnTask;
        private boolean taken;

        /** @param end failure of the delivery; null for a lane that delivers 10 bytes and lasts */
        Lane(IOException end) {
            this(end, client::removeLane);
        }

        Lane(IOException end, Runnable returnTask) {
            super(null);
            this.end = end;
            this.returnTask = returnTask;
        }

        @Override
        protected String take() throws InterruptedException {
            if (taken) {
                finished.await();
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
            returnTask.run();
        }
    }

    private String url() {
        return Offers.url(endpoint.port());
    }

    private Lane resetting() {
        return new Lane(new SocketException("Connection reset"));
    }

    private DirectLaneReport report(boolean required, int lasting, Lane... prepared) throws Exception {
        client.next.addAll(List.of(prepared));
        lanes = new DirectLaneGroup(
                Offers.of(2, required, Offers.LONG_LIMITS, url()), client, new TransferThreads(new ThreadCpuTimes()));
        lanes.open();
        await().until(() -> lanes.report(1) != null && client.next.isEmpty() && client.lanesInUse.get() == lasting);
        await().until(() -> lasting == 0 || lanes.report(1).wireBytes() > 0);
        return lanes.report(1);
    }

    @Test
    void brokenConnectionIsReplacedOnce() throws Exception {
        DirectLaneReport report = report(false, 2, resetting(), resetting());
        assertEquals(DirectLaneReport.Outcome.WORKED, report.outcome());
        assertNull(report.problem());
        assertEquals(2, report.connections());
    }

    @Test
    void laneThatBreaksTwiceIsReportedWhileOthersContinue() throws Exception {
        // the second lane lasts, whichever lane is replaced first
        DirectLaneReport report = report(false, 1, resetting(), new Lane(null), resetting());
        assertEquals(DirectLaneReport.Outcome.LOST_A_CONNECTION, report.outcome());
        assertEquals(url() + ": Connection reset", report.problem());
    }

    @Test
    void reportsLossWhenAllLanesBreakTwice() throws Exception {
        DirectLaneReport report = report(false, 0, resetting(), resetting(), resetting(), resetting());
        assertEquals(DirectLaneReport.Outcome.LOST, report.outcome());
    }

    @Test
    void rejectedLaneIsNotReplaced() throws Exception {
        Lane refused = new Lane(new HttpLaneConnection.WrongAnswerException("no", LaneFailure.REFUSED));
        assertEquals(
                DirectLaneReport.Outcome.LOST_A_CONNECTION,
                report(false, 1, refused).outcome());
    }

    @Test
    void failureWithoutReadableMessageFailsRequiredTransfer() throws Exception {
        IOException unreadable = new IOException() {
            private static final long serialVersionUID = 1;

            @Override
            public String getMessage() {
                throw new OutOfMemoryError("none left");
            }
        };
        report(true, 0, new Lane(unreadable), new Lane(unreadable));
        assertNotNull(client.failure.get(), "the required lane failed, so the transfer must fail");
    }

    @Test
    void workThatCannotBeReturnedFailsTransfer() throws Exception {
        Lane lost = new Lane(new HttpLaneConnection.WrongAnswerException("no", LaneFailure.REFUSED), FULL_HEAP);
        report(false, 2, lost);
        await().until(() -> client.failure.get() != null);
    }
}
