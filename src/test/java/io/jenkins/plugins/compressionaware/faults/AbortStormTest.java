package io.jenkins.plugins.compressionaware.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.Slave;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.transfer.Transfers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import jenkins.agents.ControllerToAgentCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Aborts many transfers of an agent that is connected over a WebSocket, while other builds call it. An interrupted command would cost one of them its call. */
@Tag("slow")
@Timeout(3000)
class AbortStormTest extends JenkinsTestBase {
    private static final int ROUNDS = 200;

    /** Milliseconds after which a transfer is aborted, at most; it needs longer. */
    private static final int MAX_DELAY = 400;

    @TempDir
    private Path tmp;

    private record Echo(byte[] bytes) implements ControllerToAgentCallable<byte[], RuntimeException> {
        @Override
        public byte[] call() {
            return bytes;
        }
    }

    private interface Transfer {
        void run(VirtualChannel agent, int round) throws Exception;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void abortsLoseNoCallOfOtherBuilds(boolean toAgent) throws Exception {
        factory.setDirectLane("off");
        factory.setCodec("none");
        usePlugin();
        Slave agent = InboundTransport.WEBSOCKET.start(agents, r);
        VirtualChannel channel = agent.getChannel();
        Path from = Files.createDirectories(tmp.resolve("from"));
        for (int i = 0; i < 50; i++) {
            FileTrees.noise(from.resolve("noise" + i), 10_000_000);
        }
        Map<String, String> files = FileTrees.names(from);
        Path stash = tmp.resolve("stash");
        Transfers.stash(channel, from, stash); // also loads the engine
        Transfer transfer = toAgent
                ? (there, round) -> Transfers.unstash(there, stash, tmp.resolve("to"))
                : (there, round) -> Transfers.archive(
                        Transfers.upload(there, from, TransferInfo.Operation.ARCHIVE),
                        files,
                        tmp.resolve("archive" + round));
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger answers = new AtomicInteger();
        List<Throwable> lost = new CopyOnWriteArrayList<>();
        List<Thread> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread other = new Thread(() -> {
                while (!stop.get() && lost.isEmpty()) {
                    try {
                        channel.callAsync(new Echo(new byte[20_000])).get(2, TimeUnit.MINUTES);
                        answers.incrementAndGet();
                    } catch (Exception e) {
                        lost.add(e);
                    }
                }
            });
            other.start();
            others.add(other);
        }
        Random random = new Random(3);
        AtomicInteger aborted = new AtomicInteger();
        for (int round = 0; round < ROUNDS && lost.isEmpty(); round++) {
            int number = round;
            Thread build = new Thread(() -> {
                try {
                    transfer.run(channel, number);
                } catch (InterruptedException e) {
                    aborted.incrementAndGet();
                } catch (Exception e) {
                    lost.add(e);
                }
            });
            build.start();
            build.join(1 + random.nextInt(MAX_DELAY));
            build.interrupt();
            build.join(TimeUnit.MINUTES.toMillis(1));
            assertFalse(build.isAlive(), "the abort has no effect in round " + round);
        }
        stop.set(true);
        for (Thread other : others) {
            other.join();
        }
        System.out.println(aborted + " aborted, " + answers + " calls of other builds");
        assertEquals(List.of(), lost);
        assertTrue(aborted.get() > ROUNDS / 2, aborted + " of " + ROUNDS + " were aborted in the middle");
    }
}
