package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.staging.StagedArchive;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
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
 * The receiving end of a transfer to the controller: receives into a staging directory or a temporary file, which {@link #commit} moves into place, so that a
 * failed transfer leaves the archive or file unchanged. One thread calls {@link #receive} and {@link #commit}, which return soon after an interrupt even if the
 * disk hangs. Any thread may write to a lane.
 */
@Restricted(NoExternalUse.class)
public final class Receiver implements Closeable {
    public static final int DECODERS = DecodePipeline.READ_AHEAD_BLOCKS;

    private final HeapBudget.Reservation reservation;
    private final long credit;
    private final FrameReorderBuffer queue;
    private final Queue<LaneReceiver> lanes = new ConcurrentLinkedQueue<>();
    private final int maxBlock;
    private final Executor executor;
    private final LongSupplier cpu;
    /** Runs tasks that decode frames or write small files. */
    private final CpuTimingExecutor helper;

    /** Runs all work that may block on the disk. */
    private final InterruptibleDiskTask diskTask;

    private final Destination destination;
    private final ReceiveProgress progress;
    private final IOException closed = new IOException("the receiver is closed");

    /**
     * Creates a receiver that unpacks files into an archive.
     *
     * @param archive  directory of the archive; need not exist
     * @param journal  see {@link StagedArchive}
     * @param names    names of the files to accept, each once
     * @param decoder  decodes the deltas that the tar contains instead of files
     * @param maxBlock length of the largest block to accept, bytes: the sender's block size
     * @param executor runs blocking disk work, decodes up to three blocks in parallel, and sends the credit
     */
    public Receiver(
            Path archive,
            StagingJournal journal,
            Set<String> names,
            EntryDecoder decoder,
            int maxBlock,
            Executor executor)
            throws IOException, InterruptedException {
        this(helpers -> intoArchive(new StagedArchive(archive, journal), names, helpers, decoder), maxBlock, executor);
    }

    /** Creates a destination in a staging directory. Not in {@link TreeDestination}, because agents must not load {@link StagedArchive}. */
    static Destination intoArchive(
            StagedArchive staged, Set<String> names, WorkerResources helpers, EntryDecoder decoder) throws IOException {
        try {
            return new TreeDestination(
                    new TarUnpacker(staged.folder(), names, helpers, decoder), staged::commit, staged::close);
        } catch (Throwable e) { // a name that is not allowed, or a full heap
            staged.close();
            throw e;
        }
    }

    interface DestinationFactory {
        Destination create(WorkerResources helpers) throws IOException;
    }

    /** @param file stores each frame as received, once its block is verified; closed by this receiver */
    public Receiver(FrameFileWriter file, int maxBlock, Executor executor) throws IOException, InterruptedException {
        this(helpers -> new FrameFileDestination(file), maxBlock, executor);
    }

    private Receiver(DestinationFactory factory, int maxBlock, Executor executor)
            throws IOException, InterruptedException {
        this(
                factory,
                maxBlock,
                executor,
                new InterruptibleDiskTask(executor),
                HeapBudget.ofThisJvm(),
                ThreadCpuTimes::current);
    }

    /**
     * @param budget shared with other transfers
     * @param cpu    returns the CPU time of the calling thread, nanoseconds
     */
    Receiver(
            DestinationFactory factory,
            int maxBlock,
            Executor executor,
            InterruptibleDiskTask diskTask,
            HeapBudget budget,
            LongSupplier cpu)
            throws IOException, InterruptedException {
        ThreadCpuTimes.enable();
        this.cpu = cpu;
        this.maxBlock = maxBlock;
        this.executor = executor;
        int maxFrame = FrameCodec.maxFrameLength(maxBlock);
        this.diskTask = diskTask;
        // the blocks decoded ahead, and the frame of the current block, which counts as consumed
        reservation =
                budget.open((long) DecodePipeline.READ_AHEAD_BLOCKS * maxBlock + maxFrame, Credit.heapCost(maxFrame));
        try {
            credit = reservation.grant(0);
            queue = new FrameReorderBuffer(credit);
            helper = new CpuTimingExecutor(executor, cpu);
            progress = new ReceiveProgress(this::contentBytes);
            destination = diskTask.open(() -> factory.create(new WorkerResources(helper, reservation)));
        } catch (Throwable e) { // an OutOfMemoryError, for example: all transfers share the budget
            reservation.close();
            throw e;
        }
    }

    private long contentBytes() {
        return destination.contentBytes();
    }

    /** Returns the sender's initial credit, {@link Credit#heapCost bytes of heap}. More is granted while the sender sends. */
    public long credit() {
        return credit;
    }

    public ReceiveProgress progress() {
        return progress;
    }

    /** Creates a stream for bytes of frames. Writes never block, and fail once the transfer has failed or ended. */
    public OutputStream newLane() {
        LaneReceiver lane = new LaneReceiver(queue, maxBlock);
        lanes.add(lane);
        return lane;
    }

    /** Creates the receiver of direct lanes. From now on, frames may arrive twice and in any order. */
    public DirectReceiver newDirectReceiver() {
        queue.allowDuplicates();
        return new DirectReceiver(queue, maxBlock);
    }

    /**
     * Receives frames until the end frame, and unpacks or stores them.
     *
     * @param bootstrap supplies the frames of bootstrap calls
     * @param credits   stream of credit to the sender. An executor thread writes to it, and closes it after this method has returned; this method never waits
     *     for these writes.
     * @param sender    queried while no frame arrives
     * @throws IOException          with the reason, and the name of the entry if there is one
     * @throws InterruptedException if the calling thread is interrupted
     */
    public ReceiveReport receive(BootstrapFrames bootstrap, OutputStream credits, SenderLiveness sender)
            throws IOException, InterruptedException {
        try (CreditWriter writer = new CreditWriter(credits, executor)) {
            return diskTask.call(
                    () -> receive(bootstrap, new CreditScheduler(writer, reservation.minWindow(), credit), sender));
        }
    }

    private ReceiveReport receive(BootstrapFrames bootstrap, CreditScheduler grants, SenderLiveness sender)
            throws IOException, InterruptedException {
        long cpuBefore = cpu.getAsLong();
        try {
            LaneFrames frames = new LaneFrames(queue, sender, reservation, grants, progress, System::nanoTime);
            BootstrapThenLaneFrames all = new BootstrapThenLaneFrames(bootstrap, frames, progress, maxBlock);
            try (DecodePipeline blocks = new DecodePipeline(all, helper, maxBlock, progress)) {
                destination.receive(blocks);
                long cpuNanos = cpuBefore < 0 ? -1 : cpu.getAsLong() - cpuBefore + helper.cpuNanos();
                return blocks.report(destination, List.of(), frames.waitingNanos(), cpuNanos);
            }
        } catch (IOException e) {
            queue.fail(e);
            if (Thread.interrupted()) {
                // reported instead of the failure that the interrupt has caused
                throw new InterruptedException("Interrupted while receiving");
            }
            throw e;
        }
    }

    /** Returns the names of files whose deltas failed. These files must be received in full, by {@link #forRetry}, before {@link #commit}. */
    public Set<String> failedDeltas() throws IOException, InterruptedException {
        return diskTask.call(destination::failedDeltas);
    }

    /** Creates a receiver for the {@link #failedDeltas} files, sent in full. This receiver's {@link #commit} also commits these files. */
    public Receiver forRetry() throws IOException, InterruptedException {
        // shares the InterruptibleDiskTask, so that both receivers know of a hung disk
        return new Receiver(
                destination::forRetry, maxBlock, executor, diskTask, HeapBudget.ofThisJvm(), ThreadCpuTimes::current);
    }

    /** Moves everything received into place. Returns the entries that could not be created exactly as sent. */
    public List<ExtractionWarning> commit() throws IOException, InterruptedException {
        return diskTask.call(destination::commit);
    }

    /** Rejects frames that still arrive, and deletes everything uncommitted; after an interrupt, the deletion may finish later. */
    @Override
    public void close() throws IOException {
        reservation.close();
        queue.fail(closed);
        lanes.forEach(LaneReceiver::close);
        diskTask.runCleanup(destination);
    }
}
