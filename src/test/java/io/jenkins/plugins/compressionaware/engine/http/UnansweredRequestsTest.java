package io.jenkins.plugins.compressionaware.engine.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.directlane.EndpointServer;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.testing.Offers;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Streams have delivered everything, and a direct lane still waits for an answer. */
@Timeout(60)
class UnansweredRequestsTest {
    private static final long PROBE_MILLIS = Offers.LONG_LIMITS.probeMillis();

    @TempDir
    private Path tmp;

    @AutoClose
    private final EndpointServer endpoint = new EndpointServer();

    private final CountDownLatch waiting = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);

    UnansweredRequestsTest() throws IOException {}

    /** A lane whose first requests deliver only bytes that streams have delivered before. The next one has no answer. */
    private final class Lane extends DirectLane<String> {
        private int answers;

        Lane(int answers) {
            super(null);
            this.answers = answers;
        }

        @Override
        protected String take() {
            return "work";
        }

        @Override
        protected void deliver(String work, HttpLaneConnection connection) throws IOException {
            if (answers-- > 0) {
                return;
            }
            waiting.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                // the exception below ends the lane
            }
            throw new IOException("closed");
        }

        @Override
        protected void giveBack(String undelivered) {}
    }

    private DirectLaneClient client(int answers) {
        return new DirectLaneClient() {
            @Override
            public boolean addLanes(int number) {
                return true;
            }

            @Override
            public void removeLane() {}

            @Override
            public DirectLane<?> lane(HttpLaneConnection connection) {
                return new Lane(answers);
            }

            @Override
            public void fail(Throwable reason) {
                throw new AssertionError(reason);
            }
        };
    }

    @ParameterizedTest
    @CsvSource({"0, 0, true", "0, 1, false", "1, 0, false"})
    void laneIsReportedOnlyIfItNeverAnswered(int answers, int millisBelowLimit, boolean reported) throws Exception {
        try (Receiver receiver =
                        new Receiver(tmp.resolve("archive"), null, Set.of(), EntryDecoder.NONE, 1000, Runnable::run);
                DirectLaneGroup lanes = new DirectLaneGroup(
                        Offers.of(endpoint.open(receiver), 1, false, Offers.LONG_LIMITS, Offers.url(endpoint.port())),
                        client(answers),
                        new TransferThreads(new ThreadCpuTimes()))) {
            lanes.open();
            waiting.await();
            lanes.end(PROBE_MILLIS - millisBelowLimit);
            assertEquals(
                    reported, lanes.report(1).problem() != null, lanes.report(1).problem());
        } finally {
            end.countDown();
            Threads.joinTransfers();
        }
    }
}
