package io.jenkins.plugins.compressionaware.engine.receive;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.run.InterruptibleDiskTask;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.staging.StagedArchive;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ReceiverTest {
    private static final int BLOCK = 64 * 1024;

    private final AtomicLong clock = new AtomicLong();
    private final HeapBudget budget = new HeapBudget(2L * Credit.WINDOW);

    @TempDir
    Path tmp;

    private Receiver receiver(String... names) throws IOException, InterruptedException {
        return receiver(tmp.resolve("archive"), Set.of(names), BLOCK, Runnable::run, budget, clock::incrementAndGet);
    }

    /** Returns a receiver with its own budget and CPU clock. */
    static Receiver receiver(
            Path archive, Set<String> names, int maxBlock, Executor executor, HeapBudget budget, LongSupplier cpu)
            throws IOException, InterruptedException {
        return new Receiver(
                helpers -> ArchiveDestination.of(new StagedArchive(archive, null), names, helpers, EntryDecoder.NONE),
                maxBlock,
                executor,
                new InterruptibleDiskTask(executor),
                budget,
                cpu);
    }

    /** Returns the stream of a file. */
    private byte[] stream(int size, SendOptions options) throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Files.write(workspace.resolve("file"), new byte[size]);
        return CapturedTransfer.stream(workspace, Map.of("file", "file"), options);
    }

    @Test
    void heapIsReservedUntilClose() throws Exception {
        try (Receiver receiver = receiver("file")) {
            long fixed = 3 * BLOCK + FrameCodec.maxFrameLength(BLOCK);
            assertEquals((budget.limit() - fixed) / 2, receiver.inbox().credit());
            assertEquals(fixed + receiver.inbox().credit(), budget.inUse());
        }
        assertEquals(0, budget.inUse());
    }

    @Test
    void rejectedNameLeavesNothingBehind() throws Exception {
        assertThrows(IOException.class, () -> receiver("../file"));
        assertEquals(0, FileTrees.list(tmp).size());
        assertEquals(0, budget.inUse());
    }

    @Test
    void closedReceiverRejectsFrames() throws Exception {
        Receiver receiver = receiver("file");
        OutputStream lane = receiver.inbox().newLane();
        receiver.close();
        byte[] frame = Frame.block(Codec.NONE, 0, new byte[BLOCK]);
        String reason = "The transfer is over: the receiver is closed";
        assertFails(reason, () -> lane.write(frame));
        InputStream request = new ByteArrayInputStream(frame);
        assertFails(reason, () -> receiver.inbox().newDirectReceiver().take(request, frame.length));
    }

    /** An agent need not release its streams before it disconnects, so its transfers must not add up in the heap. */
    @Test
    void closedReceiverKeepsNoFiles() throws Exception {
        Set<String> names = new HashSet<>(Set.of("a"));
        WeakReference<Set<String>> files = new WeakReference<>(names);
        Receiver receiver = receiver(tmp.resolve("archive"), names, BLOCK, Runnable::run, budget, () -> -1);
        names = null;
        receiver.inbox().newLane();
        receiver.close();
        for (int i = 0; i < 20 && files.get() != null; i++) {
            System.gc();
        }
        assertNull(files.get(), "the names are in use");
        assertEquals(0, receiver.progress().contentBytes());
    }

    /** With a fast sender and a slow disk, the receiver never waits for a frame, and disk writes ignore interrupts. */
    @Test
    void interruptStopsReceiverThatNeverWaits() throws Exception {
        byte[] stream = stream(1 << 20, new SendOptions(Codec.NONE, 0));
        Thread caller = Thread.currentThread();
        ExecutorService threads = Executors.newCachedThreadPool();
        // starts each task when the caller waits for it: after the interrupt has reached the task
        Executor late = task -> threads.execute(() -> {
            while (caller.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            task.run();
        });
        try (Receiver receiver = receiver(tmp.resolve("archive"), Set.of("file"), 1 << 20, late, budget, () -> -1)) {
            try (OutputStream lane = receiver.inbox().newLane()) {
                lane.write(stream);
            }
            receiver.start();
            caller.interrupt();
            assertThrows(InterruptedException.class, () -> receiver.awaitEnd(() -> {}));
        } finally {
            threads.shutdownNow();
        }
        assertFalse(Thread.interrupted(), "the exception reports the interrupt");
        assertEquals(List.of("workspace"), FileTrees.list(tmp));
    }

    /** If hundreds of builds archive at once, each has a small share of the heap, and all of them would load the engine. */
    @Test
    void exhaustedBudgetLeavesRoomForBootstrapCall() throws Exception {
        HeapBudget exhausted = new HeapBudget(1);
        try (Receiver receiver =
                receiver(tmp.resolve("archive"), Set.of("file"), BLOCK, Runnable::run, exhausted, () -> -1)) {
            assertTrue(
                    receiver.inbox().credit() >= 4 * 128 * 1024,
                    receiver.inbox().credit() + " bytes");
        }
    }

    /** A sender that ends while frames wait must not fail a transfer that has all it needs. */
    @Test
    void framesThatArrivedBeforeTheSenderFailedAreUnpacked() throws Exception {
        byte[] stream = stream(3 << 20, new SendOptions(Codec.NONE, 0, BLOCK, 1));
        Executor threads = task -> new Thread(task).start();
        try (Receiver receiver = receiver(tmp.resolve("archive"), Set.of("file"), BLOCK, threads, budget, () -> -1)) {
            receiver.inbox().newLane().write(stream);
            receiver.start();
            ReceiveReport report = receiver.awaitEnd(() -> {
                throw new IOException("the sender has ended");
            });
            assertEquals(stream.length, report.figures().wireBytes());
        }
    }

    /** The build's thread must not wait for a disk that hangs, even to delete the unfinished file and its entry in the journal. */
    @Test
    void interruptedReceiverDeletesFrameFileWhenDiskAnswers() throws Exception {
        Path journal = tmp.resolve("journal");
        Path disk = Files.createDirectory(tmp.resolve("disk"));
        Semaphore answer = new Semaphore(0);
        Executor threads = task -> new Thread(task).start();
        Receiver.DestinationFactory hanging = helpers -> new HangingDestination(
                new FrameFileDestination(
                        new FrameFileWriter(disk.resolve("x"), new StagingJournal(journal, tmp), BLOCK)),
                answer);
        Thread build = Thread.currentThread();
        try (Receiver receiver = new Receiver(
                hanging, BLOCK, threads, new InterruptibleDiskTask(threads), budget, clock::incrementAndGet)) {
            receiver.start();
            assertThrows(InterruptedException.class, () -> receiver.awaitEnd(build::interrupt));
        }
        assertEquals(1, FileTrees.list(disk).size());
        assertEquals(1, FileTrees.list(journal).size());
        answer.release();
        while (!FileTrees.list(journal).isEmpty()) {
            Thread.onSpinWait();
        }
        assertEquals(0, FileTrees.list(disk).size());
    }

    private record HangingDestination(Destination file, Semaphore answer) implements Destination {
        @Override
        public void receive(DecodePipeline blocks) {
            answer.acquireUninterruptibly();
        }

        @Override
        public List<ExtractionWarning> commit() throws IOException, InterruptedException {
            return file.commit();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    @Test
    void laneOfFailedTransferReportsReason() throws Exception {
        try (Receiver receiver = receiver("file")) {
            OutputStream lane = receiver.inbox().newLane();
            lane.write(Frame.end(Codec.NONE, 0));
            assertThrows(
                    IOException.class,
                    () -> CapturedTransfer.receive(receiver, OutputStream.nullOutputStream(), () -> {}));
            assertFails(
                    "The transfer is over: Truncated tar",
                    () -> receiver.inbox().newLane().write(Frame.end(Codec.NONE, 0)));
        }
    }

    @Test
    void frameMayArriveOverDirectLaneAndStream() throws Exception {
        try (Receiver receiver = receiver("file")) {
            byte[] frame = Frame.block(Codec.NONE, 0, new byte[BLOCK]);
            receiver.inbox().newDirectReceiver().take(new ByteArrayInputStream(frame), frame.length);
            receiver.inbox().newLane().write(frame);
            assertEquals(
                    DirectLaneOffer.MAX_BODY,
                    receiver.inbox().newDirectReceiver().maxLength());
        }
        assertTrue(new DirectReceiver(new FrameReorderBuffer(0), 4 << 20).maxLength() > 4 << 20, "one block");
    }

    @Test
    void cpuTimeIncludesDecoding() throws Exception {
        byte[] stream = stream(12 << 20, new SendOptions(Codec.GZIP, Codec.GZIP.minLevel(), BLOCK, 1));
        try (Receiver receiver = receiver("file")) {
            receiver.inbox().newLane().write(stream);
            long start = clock.get();
            ReceiveReport report = CapturedTransfer.receive(receiver, OutputStream.nullOutputStream(), () -> {});
            // the clock advances with each reading: two readings for receiving, two for each block that is decoded
            long readings = clock.get() - start;
            assertEquals((readings - 1) + (readings - 2) / 2, report.figures().cpuNanos());
            assertTrue(readings > 2 * (12 << 20) / BLOCK, readings + " readings for " + (12 << 20) / BLOCK + " blocks");
            assertEquals(stream.length, report.figures().wireBytes());
        }
    }

    @Test
    void progressCountsFileContentsWithoutTarHeaders() throws Exception {
        byte[] stream = stream(100_000, new SendOptions(Codec.NONE, 0, BLOCK, 1));
        try (Receiver receiver = receiver("file")) {
            ReceiveProgress progress = receiver.progress();
            assertEquals(0, progress.contentBytes());
            receiver.inbox().newLane().write(stream);
            CapturedTransfer.receive(receiver, OutputStream.nullOutputStream(), () -> {});
            assertEquals(100_000, progress.contentBytes());
            assertTrue(progress.tarBytes() > 100_000, progress.tarBytes() + " bytes of tar");
        }
    }
}
