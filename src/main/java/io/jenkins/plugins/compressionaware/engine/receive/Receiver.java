package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.staging.StagedArchive;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
import io.jenkins.plugins.compressionaware.engine.flow.Tasks;
import io.jenkins.plugins.compressionaware.engine.tar.WorkerResources;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The controller's end of a transfer: receives into a folder beside an archive, or into a file, then moves everything into place at once. A failure
 * before that leaves the archive or file as it was. One thread calls {@link #receive} and {@link #commit}, and may be interrupted at any time: a disk that
 * does not answer holds a thread of the executor instead. Any thread may write to a lane.
 */
@Restricted(NoExternalUse.class)
public final class Receiver implements Closeable {
    /** Most threads that decode. */
    public static final int DECODERS = DecodePipeline.READ_AHEAD_BLOCKS;

    private final HeapBudget.Reservation account;
    private final long credit;
    private final FrameReorderBuffer queue;
    private final Queue<LaneReceiver> lanes = new ConcurrentLinkedQueue<>();
    private final int maxBlock;
    private final Executor executor;
    private final LongSupplier cpu;
    /** Decodes, and writes small files. */
    private final CpuTimingExecutor helping;

    /** Runs all that may wait for the disk. */
    private final InterruptibleDiskTask aside;

    private final Destination landing;
    private final ReceiveProgress progress;
    private final IOException closed = new IOException("the receiver is closed");

    /**
     * @param archive  folder to receive into; need not exist
     * @param notes    see {@link StagedArchive}
     * @param names    the names to accept, each once
     * @param decoder  makes files from recipes
     * @param maxBlock largest block to accept, in bytes: the sender's block size
     * @param executor runs work that waits for the disk, decodes up to three blocks at a time, and sends the credit
     */
    public Receiver(
            Path archive,
            StagingJournal notes,
            Set<String> names,
            EntryDecoder decoder,
            int maxBlock,
            Executor executor)
            throws IOException {
        this(helpers -> intoArchive(new StagedArchive(archive, notes), names, helpers, decoder), maxBlock, executor);
    }

    /**
     * @param budget shared with other transfers
     * @param cpu    CPU time of the calling thread, nanoseconds
     */
    Receiver(Path archive, Set<String> names, int maxBlock, Executor executor, HeapBudget budget, LongSupplier cpu)
            throws IOException {
        this(
                helpers -> intoArchive(new StagedArchive(archive, null), names, helpers, EntryDecoder.NONE),
                maxBlock,
                executor,
                new InterruptibleDiskTask(executor),
                budget,
                cpu);
    }

    /** Unpacks into a folder beside the archive. Agents do not load {@link StagedArchive}, so that {@link TreeDestination} does not refer to it. */
    private static Destination intoArchive(
            StagedArchive staged, Set<String> names, WorkerResources helpers, EntryDecoder decoder) throws IOException {
        try {
            return new TreeDestination(
                    new TarUnpacker(staged.folder(), names, helpers, decoder), staged::commit, staged::close);
        } catch (Throwable e) { // an impossible name, or too many for the heap
            staged.close();
            throw e;
        }
    }

    private interface NewLanding {
        Destination create(WorkerResources helpers) throws IOException;
    }

    /** @param file keeps the frames as they arrive, once their blocks are verified; closed by this */
    public Receiver(FrameFileWriter file, int maxBlock, Executor executor) throws IOException {
        this(helpers -> new FrameFileDestination(file), maxBlock, executor);
    }

    private Receiver(NewLanding landing, int maxBlock, Executor executor) throws IOException {
        this(
                landing,
                maxBlock,
                executor,
                new InterruptibleDiskTask(executor),
                HeapBudget.ofThisJvm(),
                ThreadCpuTimes::current);
    }

    private Receiver(
            NewLanding landing,
            int maxBlock,
            Executor executor,
            InterruptibleDiskTask aside,
            HeapBudget budget,
            LongSupplier cpu)
            throws IOException {
        ThreadCpuTimes.enable();
        this.cpu = cpu;
        this.maxBlock = maxBlock;
        this.executor = executor;
        int longest = FrameLimits.maxFrame(maxBlock);
        // the blocks decoded ahead, and the frame of the block that is read, which counts as consumed
        this.aside = aside;
        account = budget.open((long) DecodePipeline.READ_AHEAD_BLOCKS * maxBlock + longest, Credit.heapCost(longest));
        try {
            credit = account.grant(0);
            queue = new FrameReorderBuffer(credit);
            helping = new CpuTimingExecutor(executor, cpu);
            this.landing = create(landing);
            progress = new ReceiveProgress(this.landing::contentBytes);
        } catch (Throwable e) { // an OutOfMemoryError, for example: all transfers share the budget
            account.close();
            throw e;
        }
    }

    private Destination create(NewLanding landing) throws IOException {
        try {
            return aside.open(() -> landing.create(new WorkerResources(helping, account)));
        } catch (InterruptedException e) {
            throw Tasks.interrupted(e.getMessage());
        }
    }

    /** The sender's first credit, {@link Credit#heapCost bytes of heap}; more is granted while it sends. */
    public long credit() {
        return credit;
    }

    public ReceiveProgress progress() {
        return progress;
    }

    /** A new lane for chunks of frames. Writing to it never waits; it fails once the transfer has failed or is over. */
    public OutputStream newLane() {
        LaneReceiver lane = new LaneReceiver(queue, maxBlock);
        lanes.add(lane);
        return lane;
    }

    /** Takes frames that come as requests. From now on frames may come twice and in any order. */
    public DirectReceiver newDirectReceiver() {
        queue.allowDuplicates();
        return new DirectReceiver(queue, maxBlock);
    }

    /**
     * Unpacks or keeps what arrives until the end frame.
     *
     * @param opening frames that come before those of the lanes
     * @param credits leads to the sender's {@code credits}. A thread of the executor writes to it, and closes it soon after this has returned;
     *     whatever it does or fails to do, this method does not wait for it.
     * @throws IOException          naming the entry where there is one, and the reason
     * @throws InterruptedException if the calling thread is interrupted
     */
    public ReceiveReport receive(BootstrapFrames opening, OutputStream credits, SenderLiveness watch)
            throws IOException, InterruptedException {
        try (CreditWriter teller = new CreditWriter(credits, executor)) {
            return aside.call(() -> receive(opening, new CreditScheduler(teller, account.minWindow(), credit), watch));
        }
    }

    private ReceiveReport receive(BootstrapFrames opening, CreditScheduler grants, SenderLiveness watch)
            throws IOException, InterruptedException {
        long cpuBefore = cpu.getAsLong();
        try {
            LaneFrames frames = new LaneFrames(queue, watch, account, grants, progress, System::nanoTime);
            BootstrapThenLaneFrames all = new BootstrapThenLaneFrames(opening, frames, progress, maxBlock);
            try (DecodePipeline blocks = new DecodePipeline(all, helping, maxBlock, progress)) {
                landing.receive(blocks);
                long cpuNanos = cpuBefore < 0 ? -1 : cpu.getAsLong() - cpuBefore + helping.cpuNanos();
                return blocks.report(landing, List.of(), frames.waitingNanos(), cpuNanos);
            }
        } catch (IOException e) {
            queue.fail(e);
            if (Thread.interrupted()) {
                // not the failure that the interrupt has caused
                throw new InterruptedException("Interrupted while receiving");
            }
            throw e;
        }
    }

    /** Names of files that could not be made from their recipes, and are missing: they have to come before the {@link #commit}. */
    public Set<String> unfit() throws IOException, InterruptedException {
        return aside.call(landing::failedDeltas);
    }

    /** A receiver for the {@link #unfit} files, sent as they are; they are committed with what was received here. */
    public Receiver forRetry() throws IOException {
        // shares the Aside: both have to know of a disk that does not answer
        return new Receiver(
                landing::forRetry, maxBlock, executor, aside, HeapBudget.ofThisJvm(), ThreadCpuTimes::current);
    }

    /**
     * Moves what was received into place.
     *
     * @return what could not be made as it was sent
     */
    public List<ExtractionWarning> commit() throws IOException, InterruptedException {
        return aside.call(landing::commit);
    }

    /** Refuses whatever still arrives and removes what was not committed; after an interrupt, this may end later. */
    @Override
    public void close() throws IOException {
        account.close();
        queue.fail(closed);
        lanes.forEach(LaneReceiver::close);
        aside.runCleanup(landing);
    }
}
