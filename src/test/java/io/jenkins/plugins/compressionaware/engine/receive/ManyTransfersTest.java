package io.jenkins.plugins.compressionaware.engine.receive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.send.Sender;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.CreditPipe;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.Loopback;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many transfers that stall at the same time, for example on a disk. */
@Timeout(120)
class ManyTransfersTest {
    private static final int TRANSFERS = 200;
    private static final SendOptions OPTIONS = new SendOptions(Codec.NONE, 0, 64 * 1024, 1);

    /** More bytes than any transfer is granted. */
    private static final int LARGE = 9 << 18;

    private final HeapBudget budget = new HeapBudget(4 << 20);

    @AutoClose
    private final ExecutorService threads = new TestThreads();
    /** Whether the current thread runs a receiver, so that a task it submits is decoding. */
    private final ThreadLocal<Boolean> receiving = ThreadLocal.withInitial(() -> false);

    private final CountDownLatch stalled = new CountDownLatch(1);
    private final AtomicLong written = new AtomicLong();
    private final AtomicInteger borrowed = new AtomicInteger();

    @TempDir
    Path tmp;

    private Path large;
    private Path small;

    @BeforeEach
    void prepare() throws Exception {
        large = workspace("large", LARGE);
        small = workspace("small", 11_000);
    }

    private Path workspace(String name, int size) throws IOException {
        Path folder = Files.createDirectory(tmp.resolve(name));
        Files.write(folder.resolve("file"), FileTrees.noise(size));
        return folder;
    }

    @Test
    void stalledTransfersStayWithinBudgetAndFinish() throws Exception {
        long start = System.nanoTime();
        CountDownLatch allWaitForCredit = new CountDownLatch(TRANSFERS);
        List<Future<Void>> transfers = new ArrayList<>();
        for (int i = 0; i < TRANSFERS; i++) {
            Path archive = tmp.resolve("archive" + i);
            CountDownLatch waits = new CountDownLatch(1);
            transfers.add(threads.submit(() -> archive(large, archive, this::decodeWhenReleased, waits)));
            threads.submit(() -> {
                waits.await();
                allWaitForCredit.countDown();
                return null;
            });
        }
        allWaitForCredit.await();
        int longest = FrameCodec.maxFrameLength(OPTIONS.blockSize());
        long minimum = Receiver.MIN_WINDOW + longest + DecodePipeline.READ_AHEAD_BLOCKS * OPTIONS.blockSize();
        assertTrue(budget.inUse() <= budget.limit() + TRANSFERS * minimum, budget.inUse() + " bytes granted");
        assertTrue(written.get() <= budget.inUse(), written + " bytes arrived");
        // per transfer, one thread receives, some decode, and one sends credit; each second, the receiver decodes a
        // block whose thread stalls
        int stalls = (int) TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
        assertTrue(borrowed.get() <= TRANSFERS * (2 + Receiver.DECODERS + stalls), borrowed + " threads");
        assertTrue(written.get() > budget.limit() / 2, written + " bytes arrived");
        archive(small, tmp.resolve("another"), threads, new CountDownLatch(1));
        assertEquals(FileTrees.describe(small), FileTrees.describe(tmp.resolve("another")));
        stalled.countDown();
        for (int i = 0; i < TRANSFERS; i++) {
            transfers.get(i).get();
            assertEquals(FileTrees.describe(large), FileTrees.describe(tmp.resolve("archive" + i)));
        }
        assertEquals(0, budget.inUse());
    }

    /** One frame at a time is enough. */
    @Test
    void transferMakesProgressWithExhaustedBudget() throws Exception {
        HeapBudget.Reservation everything = budget.open(budget.limit(), 0);
        archive(large, tmp.resolve("archive"), threads, new CountDownLatch(1));
        assertEquals(FileTrees.describe(large), FileTrees.describe(tmp.resolve("archive")));
        everything.close();
        assertEquals(0, budget.inUse());
    }

    private void decodeWhenReleased(Runnable task) {
        boolean decodes = receiving.get();
        threads.execute(() -> {
            borrowed.incrementAndGet();
            try {
                if (decodes) {
                    stalled.await();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            receiving.set(true);
            task.run();
            receiving.set(false);
            borrowed.decrementAndGet();
        });
    }

    /** @param waits counted down when the sender reads credit */
    private Void archive(Path workspace, Path archive, Executor executor, CountDownLatch waits) throws Exception {
        Set<String> names = FileTrees.names(workspace).keySet();
        try (Receiver receiver =
                        ReceiverTest.receiver(archive, names, OPTIONS.blockSize(), executor, budget, () -> -1);
                CreditPipe credits = new CreditPipe()) {
            OutputStream lane = new LaneHook(receiver.inbox().newLane(), (write, length) -> {
                written.addAndGet(length);
                return true;
            });
            FilterInputStream watched = new FilterInputStream(credits) {
                @Override
                public int read() throws IOException {
                    waits.countDown();
                    return super.read();
                }

                @Override
                public int read(byte[] target, int offset, int length) throws IOException {
                    waits.countDown();
                    return super.read(target, offset, length);
                }
            };
            Future<SendReport> sending = threads.submit(() -> Sender.send(
                    workspace,
                    FileTrees.names(workspace),
                    OPTIONS,
                    CapturedTransfer.target(
                            List.of(lane), watched, receiver.inbox().credit(), null),
                    null));
            CapturedTransfer.receive(receiver, credits.sink(), () -> {
                if (sending.isDone()) {
                    Loopback.result(sending);
                }
            });
            receiver.commit();
            return null;
        }
    }
}
