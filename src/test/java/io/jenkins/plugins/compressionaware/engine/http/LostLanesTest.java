package io.jenkins.plugins.compressionaware.engine.http;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.directlane.EndpointServer;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.run.JvmLimits;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.testing.FaultyHttpProxy;
import io.jenkins.plugins.compressionaware.testing.Offers;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how a {@link DirectLaneGroup} handles lanes that end; only the probe is a real request. */
@Timeout(30)
class LostLanesTest {
    private static final Runnable FULL_HEAP = () -> {
        throw new OutOfMemoryError("none left");
    };

    private final CountDownLatch finished = new CountDownLatch(1);
    private final PreparedLanes client = new PreparedLanes();
    private final AtomicInteger silentProbes = new AtomicInteger();

    @AutoClose
    private final EndpointServer endpoint = new EndpointServer();

    @AutoClose
    private final FaultyHttpProxy proxy = new FaultyHttpProxy(
            endpoint.port(), body -> silentProbes.getAndDecrement() > 0 ? FaultyHttpProxy.Fault.UNANSWERED : null);

    @TempDir
    private Path tmp;

    private DirectLaneOffer.Limits limits = Offers.LONG_LIMITS;
    private DirectLaneGroup lanes;

    LostLanesTest() throws IOException {}

    @AfterEach
    void end() throws Exception {
        finished.countDown();
        lanes.close();
        Threads.joinTransfers();
    }

    /** Returns prepared lanes in order, then lanes that last. */
    private final class PreparedLanes implements DirectLaneClient {
        private final AtomicInteger lanesInUse = new AtomicInteger();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final Deque<Lane> next = new ArrayDeque<>();
        private volatile boolean silent;

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
            return next.isEmpty() ? silent ? silent() : new Lane(null) : next.remove();
        }

        @Override
        public void fail(Throwable reason) {
            failure.compareAndSet(null, reason);
        }
    }

    private final class Lane extends DirectLane<String> {
        private final IOException end;
        private final Runnable returnTask;
        private boolean worked;
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

        /** Makes the lane deliver 10 bytes before it fails. */
        Lane afterWork() {
            worked = true;
            return this;
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
            if (end == null || worked) {
                confirm(10);
            }
            if (end != null) {
                throw end;
            }
        }

        @Override
        protected void giveBack(String undelivered) {
            returnTask.run();
        }
    }

    private String url() {
        return Offers.url(proxy.port());
    }

    private Lane resetting() {
        return new Lane(new SocketException("Connection reset"));
    }

    /** Returns a lane whose controller does not answer. */
    private Lane silent() {
        return new Lane(new SocketTimeoutException("no answer"));
    }

    private DirectLaneReport report(boolean required, int lasting, Lane... prepared) throws Exception {
        client.next.addAll(List.of(prepared));
        try (Receiver receiver =
                new Receiver(tmp.resolve("archive"), null, Set.of(), EntryDecoder.NONE, 1000, Runnable::run)) {
            DirectLaneOffer offer = Offers.of(endpoint.open(receiver), 2, required, limits, url());
            lanes = new DirectLaneGroup(offer, client, new TransferThreads(new ThreadCpuTimes()));
            lanes.open();
            await().until(() -> lanes.report(1) != null && client.next.isEmpty() && client.lanesInUse.get() == lasting);
            await().until(() ->
                    lasting == 0 || silentProbes.get() > 0 || lanes.report(1).wireBytes() > 0);
            return lanes.report(1);
        }
    }

    @Test
    void brokenConnectionIsReplacedOnce() throws Exception {
        DirectLaneReport report = report(false, 2, resetting(), resetting());
        assertEquals(DirectLaneReport.Outcome.WORKED, report.outcome());
        assertNull(report.problem());
        assertEquals(2, report.connections());
    }

    private WeakReference<Lane> resettingAfterWork() {
        Lane lane = resetting().afterWork();
        client.next.add(lane);
        return new WeakReference<>(lane);
    }

    /** A hostile proxy breaks each connection after one request. */
    @Test
    void replacedLaneLeavesTheHeap() throws Exception {
        WeakReference<Lane> replaced = resettingAfterWork();
        report(false, 2);
        await().until(() -> {
            System.gc();
            return replaced.refersTo(null);
        });
        await().until(() -> lanes.report(1).wireBytes() == 3 * 10);
    }

    /** A hostile proxy keeps requests of earlier transfers running, for example with headers that never end. */
    @Test
    void threadsOfEarlierTransfersLimitNewOnes() throws Exception {
        int free = JvmLimits.LANE_THREADS.drainPermits();
        try {
            DirectLaneReport none = report(false, 0);
            assertEquals(Set.of(LaneFailure.STALLED), none.kinds());
            JvmLimits.LANE_THREADS.release(2); // the probe and one lane
            lanes.close();
            report(false, 1);
            await("the probe ends").until(() -> JvmLimits.LANE_THREADS.availablePermits() == 1);
        } finally {
            JvmLimits.LANE_THREADS.release(free - 2);
        }
        finished.countDown();
        await().until(() -> JvmLimits.LANE_THREADS.availablePermits() == free);
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

    /** The controller stops in a garbage collection, for example. */
    @Test
    void connectionThatHasWorkedIsReplacedAfterTimeout() throws Exception {
        DirectLaneReport report = report(false, 2, silent().afterWork(), silent().afterWork());
        assertEquals(DirectLaneReport.Outcome.WORKED, report.outcome());
    }

    /** The cause is not a firewall. */
    @Test
    void silenceAfterAnswersHasItsOwnCause() throws Exception {
        DirectLaneReport report = report(false, 0, silent().afterWork(), silent().afterWork(), silent(), silent());
        assertEquals(DirectLaneReport.Outcome.LOST, report.outcome());
        assertEquals(Set.of(LaneFailure.STALLED), report.kinds());
    }

    /** A suspended controller answers none of several requests, and rejects some when it continues. */
    @Test
    void requiredLanesOutlastSuspendedController() throws Exception {
        limits = new DirectLaneOffer.Limits(20_000, 20_000 / 30);
        Lane rejected = new Lane(new HttpLaneConnection.WrongAnswerException("busy", LaneFailure.REFUSED));
        DirectLaneReport report =
                report(true, 2, silent(), silent(), silent().afterWork(), silent().afterWork(), rejected, silent());
        assertEquals(DirectLaneReport.Outcome.WORKED, report.outcome());
        assertNull(client.failure.get());
    }

    /** The controller is suspended or busy during the probe. */
    @ParameterizedTest
    @CsvSource({"false, 1, 20000", "true, 2, 1000"})
    void unansweredProbeIsRepeated(boolean required, int unanswered, long requestMillis) throws Exception {
        limits = new DirectLaneOffer.Limits(100, requestMillis);
        silentProbes.set(unanswered);
        DirectLaneReport report = report(required, 2);
        assertEquals(DirectLaneReport.Outcome.WORKED, report.outcome());
        assertEquals(Set.of(), report.kinds());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void probeThatIsNeverAnsweredEnds(boolean required) throws Exception {
        limits = new DirectLaneOffer.Limits(20, 20);
        silentProbes.set(Integer.MAX_VALUE);
        assertEquals(
                DirectLaneReport.Outcome.LOST,
                report(required, required ? 1 : 0).outcome());
        assertEquals(required, client.failure.get() != null);
    }

    @Test
    void lastOfRequiredLanesFailsTransfer() throws Exception {
        Lane refused = new Lane(new HttpLaneConnection.WrongAnswerException("no", LaneFailure.LOGIN));
        report(true, 1, refused);
        assertNull(client.failure.get(), "the other lane continues");
    }

    @Test
    void requiredLanesThatStaySilentFailTransfer() throws Exception {
        limits = new DirectLaneOffer.Limits(20_000, 50);
        client.silent = true;
        report(true, 0, silent().afterWork(), silent().afterWork());
        assertTrue(client.failure.get().getMessage().contains("no answer"), client.failure.toString());
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
