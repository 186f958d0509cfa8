package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.CreditWriter;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.packed.PackedWriter;
import io.jenkins.plugins.compressionaware.engine.run.CpuTimingExecutor;
import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.engine.run.InterruptibleDiskTask;
import io.jenkins.plugins.compressionaware.engine.run.Liveness;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.staging.StagedArchive;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
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

    /** Heap that a transfer may always fill, bytes, even if hundreds of builds share the budget: enough for a bootstrap call. */
    static final long MIN_WINDOW = 640 * 1024;

    private final Inbox inbox;
    private final int maxBlock;
    private final Executor executor;
    private final LongSupplier cpu;
    /** Runs tasks that decode frames or write small files. */
    private final CpuTimingExecutor helper;

    /** Runs all work that may block on the disk. */
    private final InterruptibleDiskTask diskTask;

    /** Null after {@link #close}, because an agent may keep streams until it disconnects, and with them this object. */
    private volatile Destination destination;

    /** Report on the last {@link #unpack}, even if it failed. */
    private ReceiveReport received;

    private volatile long contentBytes = -1;
    private final ReceiveProgress progress;
    private InterruptibleDiskTask.Task<ReceiveReport> unpacking;

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
        this(
                maxBlock,
                executor,
                helpers -> ArchiveDestination.of(new StagedArchive(archive, journal), names, helpers, decoder));
    }

    interface DestinationFactory {
        Destination create(DiskHelpers helpers) throws IOException;
    }

    /** Creates a frame file. */
    @FunctionalInterface
    public interface FrameFileFactory {
        /** @param blockSize length of the largest block, bytes */
        FrameFileWriter create(int blockSize) throws IOException;
    }

    /** @param file stores each frame as received, once its block is verified; created and closed by this receiver */
    public Receiver(FrameFileFactory file, int maxBlock, Executor executor) throws IOException, InterruptedException {
        this(maxBlock, executor, helpers -> new FrameFileDestination(file.create(maxBlock)));
    }

    /** Creates a packed archive. */
    @FunctionalInterface
    public interface PackedFactory {
        PackedWriter create() throws IOException;
    }

    /** @param archive stores each frame as received, once its block is verified; created and closed by this receiver */
    public Receiver(int maxBlock, Executor executor, PackedFactory archive) throws IOException, InterruptedException {
        this(maxBlock, executor, (DestinationFactory) helpers -> new PackedDestination(archive.create()));
    }

    private Receiver(int maxBlock, Executor executor, DestinationFactory factory)
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
        HeapBudget.Reservation reservation = budget.open(
                (long) DecodePipeline.READ_AHEAD_BLOCKS * maxBlock + maxFrame,
                Math.max(MIN_WINDOW, Credit.heapCost(maxFrame)));
        try {
            helper = new CpuTimingExecutor(executor, cpu);
            progress = new ReceiveProgress(this::contentBytes);
            inbox = new Inbox(reservation, maxBlock, progress, System::nanoTime);
            destination = diskTask.open(() -> factory.create(new DiskHelpers(helper, reservation)));
        } catch (Throwable e) { // an OutOfMemoryError, for example: all transfers share the budget
            reservation.close();
            throw e;
        }
    }

    private long contentBytes() {
        Destination open = destination;
        TarUnpacker unpacker = open == null ? null : open.unpacker();
        if (unpacker != null) {
            contentBytes = unpacker.contentBytes();
        }
        return contentBytes;
    }

    /** Returns the inbox for the frames of bootstrap calls, streams and direct lanes. */
    public Inbox inbox() {
        return inbox;
    }

    public ReceiveProgress progress() {
        return progress;
    }

    /**
     * Starts to unpack or store frames, on an executor thread, up to the end frame. Called again, unpacks the {@link #missing} files.
     *
     * @throws IOException if there is no thread for it
     */
    public void start() throws IOException {
        unpacking = diskTask.start(this::unpack);
        inbox.onRelease(unpacking::wake);
    }

    /**
     * Sends further credit from now on.
     *
     * @param credits stream to the sender. An executor thread writes to it, and closes it after the returned object is closed; nothing waits for these writes
     * @param known   {@link Inbox#credit} that the sender knows
     */
    public Closeable sendCredit(OutputStream credits, long known) {
        CreditWriter writer = new CreditWriter(credits, executor);
        inbox.sendCredit(writer, known);
        return writer;
    }

    /** Lets a waiting {@link #await} look at its condition again. Any thread may call this. */
    public void wake() {
        unpacking.wake();
    }

    /**
     * Waits until a condition holds: the one place where the thread of a transfer waits for the other end.
     *
     * @param until  evaluated after each {@link #wake}
     * @param sender queried every half second while no frame arrives
     * @throws IOException          if the transfer has failed; with the reason, and the name of the entry if there is one
     * @throws InterruptedException if the calling thread is interrupted
     */
    public void await(BooleanSupplier until, Liveness sender) throws IOException, InterruptedException {
        diskTask.await(unpacking, until, () -> check(sender));
    }

    /** Waits like {@link #await} until every frame of a sender that has ended is consumed. */
    public void awaitEmpty() throws IOException, InterruptedException {
        await(inbox::isEmpty, inbox::checkWhole);
    }

    /** Waits like {@link #await} until everything is unpacked, and returns the report. */
    public ReceiveReport awaitEnd(Liveness sender) throws IOException, InterruptedException {
        await(unpacking::hasEnded, sender);
        return unpacking.outcome();
    }

    private void check(Liveness sender) throws IOException, InterruptedException {
        if (unpacking.hasEnded()) {
            sender.check();
        } else if (progress.isWaiting()) {
            try {
                sender.check();
            } catch (InterruptedException e) {
                throw e;
            } catch (IOException e) {
                inbox.endOfSender(e);
            } catch (Throwable e) { // a full heap, for example
                inbox.fail(e);
            }
        }
    }

    private ReceiveReport unpack() throws IOException, InterruptedException {
        long cpuBefore = cpu.getAsLong();
        long helpersBefore = helper.cpuNanos();
        long waitedBefore = inbox.waitingNanos();
        Destination target = destination;
        TarUnpacker unpacker = target.unpacker();
        int entriesBefore = unpacker == null ? 0 : unpacker.entries();
        long bytesBefore = unpacker == null ? 0 : unpacker.contentBytes();
        try (DecodePipeline blocks = new DecodePipeline(inbox, helper, maxBlock, progress)) {
            try {
                target.receive(blocks);
            } finally {
                long cpuNanos = cpuBefore < 0 ? -1 : cpu.getAsLong() - cpuBefore + helper.cpuNanos() - helpersBefore;
                Figures figures = blocks.figures(
                        unpacker == null ? 0 : unpacker.entries() - entriesBefore,
                        unpacker == null ? 0 : unpacker.contentBytes() - bytesBefore,
                        inbox.waitingNanos() - waitedBefore,
                        cpuNanos);
                received = new ReceiveReport(figures, List.of(), unpacker == null ? 0 : unpacker.writers());
            }
            return received;
        } catch (IOException e) {
            inbox.fail(e);
            if (Thread.interrupted()) {
                // reported instead of the failure that the interrupt has caused
                throw new InterruptedException("Interrupted while receiving");
            }
            throw e;
        }
    }

    /** Prepares an archive for another sender, and keeps its complete files. Returns a report on them. */
    public ReceiveReport restart() throws IOException, InterruptedException {
        inbox.fail(new IOException("the sender was lost"));
        try {
            diskTask.await(unpacking, unpacking::hasEnded, () -> {});
        } catch (IOException e) {
            // usually the lost connection; a disk that has failed will fail again
        }
        inbox.restart();
        long dropped = diskTask.call(destination.unpacker()::dropIncomplete);
        return received.plus(ReceiveReport.of(Figures.counts(0, -dropped, 0, 0, 0)));
    }

    /** Returns the files of an archive to receive after another {@link #start}: those whose deltas failed, and after {@link #restart} the rest. */
    public Set<String> missing() throws IOException, InterruptedException {
        return diskTask.call(destination.unpacker()::missing);
    }

    /** Moves everything received into place. Returns the entries that could not be created exactly as sent. */
    public List<ExtractionWarning> commit() throws IOException, InterruptedException {
        return diskTask.call(destination::commit);
    }

    /** Rejects frames that still arrive, and deletes everything uncommitted; after an interrupt, the deletion may finish later. */
    @Override
    public void close() throws IOException {
        Destination last = destination;
        try {
            inbox.close();
            if (unpacking != null) {
                diskTask.awaitEnd(unpacking);
            }
            contentBytes();
        } finally { // even if the heap is full
            destination = null;
            if (last != null) {
                diskTask.runCleanup(last);
            }
        }
    }
}
