package io.jenkins.plugins.compressionaware.engine.receive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.send.Sender;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.Frame;
import io.jenkins.plugins.compressionaware.testing.Loopback;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An agent fills the heap of 24 transfers, and lets none of them go on. */
@Timeout(120)
class HostileAgentTest {
    private static final int BRANCHES = 24;
    private static final long FILE_SIZE = 64 << 20;
    private static final SendOptions OPTIONS = new SendOptions(Codec.NONE, 0, 256 * 1024, 1);

    /** The budget of a controller with a heap of 256 MiB. */
    private static final long LIMIT = 32 << 20;

    @AutoClose
    private final ExecutorService threads = new TestThreads();

    private final Deque<Receiver> hostile = new ArrayDeque<>();

    @TempDir
    private Path tmp;

    @AfterEach
    void end() throws Exception {
        for (Receiver receiver : hostile) {
            receiver.close();
        }
    }

    /** The link of the other agent limits its speed, so that the speed is the bytes per round trip. */
    @Test
    void anotherAgentKeepsHalfOfItsSpeed() throws Exception {
        int alone = roundTrips("alone", new HeapBudget(LIMIT));
        HeapBudget budget = new HeapBudget(LIMIT);
        for (int i = 0; i < BRANCHES; i++) {
            fill(receiver("hostile" + i, budget, "hostile"));
        }
        assertTrue(budget.inUse() > LIMIT / 2, budget.inUse() + " bytes in use");
        int beside = roundTrips("beside", budget);
        assertTrue(beside <= 2 * alone, beside + " round trips instead of " + alone);
    }

    private Receiver receiver(String name, HeapBudget budget, String agent) throws Exception {
        Receiver receiver = ReceiverTest.receiver(
                tmp.resolve(name), Set.of("file"), OPTIONS.blockSize(), threads, budget, () -> -1);
        receiver.inbox().chargeTo(agent);
        return receiver;
    }

    /** Sends as many frames as the credit allows, but not the first one. */
    private void fill(Receiver receiver) throws Exception {
        hostile.add(receiver);
        receiver.start();
        Inbox inbox = receiver.inbox();
        OutputStream lane = inbox.newLane();
        byte[] frame = Frame.block(Codec.NONE, 1, new byte[OPTIONS.blockSize()]);
        for (long n = 2; inbox.heap() + Credit.heapCost(frame.length) <= inbox.credit(); n++) {
            lane.write(frame);
            frame = Frame.block(Codec.NONE, n, new byte[OPTIONS.blockSize()]);
        }
    }

    /** Archives a file. Returns after how many round trips the agent has sent it; in each, the agent sends what its credit allows. */
    private int roundTrips(String name, HeapBudget budget) throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve(name + "-workspace"));
        try (RandomAccessFile file =
                new RandomAccessFile(workspace.resolve("file").toFile(), "rw")) {
            file.setLength(FILE_SIZE);
        }
        int[] roundTrips = {1};
        try (Receiver receiver = receiver(name, budget, "honest")) {
            InputStream credits = new InputStream() {
                private ByteBuffer grant = ByteBuffer.allocate(0);

                @Override
                public int read() {
                    if (!grant.hasRemaining()) {
                        roundTrips[0]++;
                        while (!receiver.inbox().isEmpty()) {
                            Thread.yield();
                        }
                        grant = ByteBuffer.allocate(Long.BYTES)
                                .putLong(0, receiver.inbox().credit());
                    }
                    return grant.get() & 0xff;
                }
            };
            Future<SendReport> sending = threads.submit(() -> Sender.send(
                    workspace,
                    Map.of("file", "file"),
                    OPTIONS,
                    CapturedTransfer.target(List.of(receiver.inbox().newLane()), credits, receiver),
                    null));
            CapturedTransfer.receive(receiver, OutputStream.nullOutputStream(), () -> {
                if (sending.isDone()) {
                    Loopback.result(sending);
                }
            });
            receiver.commit();
            sending.get();
        }
        assertEquals(FILE_SIZE, Files.size(tmp.resolve(name).resolve("file")));
        return roundTrips[0];
    }
}
