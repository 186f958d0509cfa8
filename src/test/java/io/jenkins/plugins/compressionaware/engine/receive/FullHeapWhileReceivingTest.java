package io.jenkins.plugins.compressionaware.engine.receive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.run.FirstFailure;
import io.jenkins.plugins.compressionaware.engine.run.InterruptibleDiskTask;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import io.jenkins.plugins.compressionaware.testing.Frame;
import io.jenkins.plugins.compressionaware.testing.FullHeap;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Wherever the heap of the receiving JVM is full for a moment, all blocks can be read, or the transfer fails at once and names the reason. */
class FullHeapWhileReceivingTest {
    private static final int BLOCK = 100;
    private static final int BLOCKS = 40;

    @Test
    void blocksAreBookedOnce() throws Exception {
        Set<String> complaints = FullHeap.strikeEverywhere(
                Upload.class, FrameReorderBuffer.class, DirectReceiver.class, LaneReceiver.class, FirstFailure.class);
        assertEquals(Set.of(), complaints);
    }

    @Test
    void receiverThatCannotBeCreatedKeepsNothing() throws Exception {
        assertEquals(
                Set.of(),
                FullHeap.strikeEverywhere(
                        Opening.class, Receiver.class, ReceiveProgress.class, Inbox.class, FrameReorderBuffer.class));
    }

    /** Opens a receiver, and closes it if there is one. */
    public static final class Opening implements Callable<String> {
        @Override
        public String call() throws Exception {
            AtomicInteger open = new AtomicInteger();
            HeapBudget budget = new HeapBudget(64 << 20);
            InterruptibleDiskTask disk = new InterruptibleDiskTask(Runnable::run);
            try (Receiver receiver =
                    new Receiver(helpers -> new Opened(open), BLOCK, Runnable::run, disk, budget, () -> 0)) {
                receiver.inbox();
            } catch (OutOfMemoryError e) {
                // the transfer fails
            }
            return open.get() == 0 && budget.inUse() == 0
                    ? null
                    : open + " open destinations, " + budget.inUse() + " bytes reserved";
        }
    }

    private static final class Opened implements Destination {
        private final AtomicInteger open;

        Opened(AtomicInteger open) {
            this.open = open;
            open.incrementAndGet();
        }

        @Override
        public void receive(DecodePipeline blocks) {}

        @Override
        public List<ExtractionWarning> commit() {
            return List.of();
        }

        @Override
        public void close() {
            open.decrementAndGet();
        }
    }

    /** Sends blocks over a direct lane within the credit. After a failed request, the sender repeats its block over the stream, and uses no further credit. */
    public static final class Upload implements Callable<String> {
        @Override
        public String call() throws Exception {
            byte[] longest = Frame.block(Codec.NONE, 0, new byte[BLOCK]);
            try {
                FrameReorderBuffer queue = new FrameReorderBuffer(BLOCKS * Credit.heapCost(longest.length));
                queue.allowDuplicates();
                DirectReceiver direct = new DirectReceiver(queue, BLOCK);
                OutputStream stream = new LaneReceiver(queue, BLOCK);
                for (int i = 0; i < BLOCKS; i++) {
                    byte[] frame = Frame.block(Codec.NONE, i, new byte[BLOCK]);
                    if (i % 4 == 0) {
                        stream.write(frame, 0, frame.length);
                    } else {
                        send(frame, direct, stream);
                    }
                }
                for (int i = 0; i < BLOCKS; i++) {
                    ReceivedFrame received = queue.poll();
                    if (received == null) {
                        return "block " + i + " is missing";
                    }
                }
                return null;
            } catch (IOException | OutOfMemoryError e) {
                return e.toString().contains("emory") ? null : "fails with " + e;
            }
        }

        private static void send(byte[] frame, DirectReceiver direct, OutputStream stream) throws IOException {
            try {
                direct.take(new ByteArrayInputStream(frame), frame.length);
            } catch (IOException | OutOfMemoryError e) { // the request fails
                stream.write(frame, 0, frame.length);
            }
        }
    }
}
