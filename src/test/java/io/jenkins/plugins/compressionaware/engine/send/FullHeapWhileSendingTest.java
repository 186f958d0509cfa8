package io.jenkins.plugins.compressionaware.engine.send;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.flow.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.flow.TransferThreads;
import io.jenkins.plugins.compressionaware.testing.FullHeap;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Wherever the heap of the sending JVM is full for a moment, all frames arrive, or the transfer fails at once and names the reason. */
class FullHeapWhileSendingTest {
    /** The classes that change the state of a transfer. Elsewhere, an error ends the request or the thread, as here in their calls. */
    private static boolean strikes(String name) {
        return name.matches("engine\\.(lane\\.(DirectLane|DirectLaneGroup|FirstFailure|HttpLaneConnection)"
                + "|send\\.(FrameDispatcher|FrameSender|DirectUploadLane|StreamLane|CreditGate|EncodedFrame)"
                + "|flow\\.(Tasks|TransferThreads|ThreadCpuTimes|UninterruptedWrites))(\\$.*)?");
    }

    @Test
    void directLanesMayFail() throws Exception {
        assertEquals(Set.of(), FullHeap.strikeEverywhere(Optional.class, FullHeapWhileSendingTest::strikes));
    }

    @Test
    void directLanesAreRequired() throws Exception {
        assertEquals(Set.of(), FullHeap.strikeEverywhere(Required.class, FullHeapWhileSendingTest::strikes));
    }

    public static final class Optional implements Callable<String> {
        @Override
        public String call() throws Exception {
            return send(false);
        }
    }

    public static final class Required implements Callable<String> {
        @Override
        public String call() throws Exception {
            return send(true);
        }
    }

    private static String send(boolean required) throws Exception {
        try (FakeReceiver receiver = new FakeReceiver()) {
            if (!required) {
                receiver.breakSome();
            }
            String problem = send(receiver, required);
            Threads.joinTransfers();
            return problem;
        }
    }

    private static String send(FakeReceiver receiver, boolean required) {
        CompressionPolicy policy = new FixedPolicy(CodecLevel.UNCOMPRESSED);
        try (FrameSender sender = new FrameSender(
                receiver.target(receiver.offer(required)),
                4,
                policy,
                new TransferThreads(new ThreadCpuTimes()),
                System::nanoTime)) {
            FakeReceiver.send(sender);
            return receiver.missing();
        } catch (IOException | InterruptedException | OutOfMemoryError e) {
            return e.toString().contains("emory") ? null : "fails with " + e;
        }
    }
}
