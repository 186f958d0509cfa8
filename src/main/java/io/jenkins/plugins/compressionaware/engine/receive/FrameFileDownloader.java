package io.jenkins.plugins.compressionaware.engine.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneBalance;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneGroup;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.run.CpuTimingExecutor;
import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.run.UninterruptedWrites;
import io.jenkins.plugins.compressionaware.engine.tar.ChunkedInputStream;
import io.jenkins.plugins.compressionaware.engine.tar.SelectedFiles;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
import io.jenkins.plugins.compressionaware.engine.tar.Workspace;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Downloads a frame file to an agent: requests ranges of the file over several lanes, decodes blocks ahead, and unpacks verified blocks into the workspace. */
@Restricted(NoExternalUse.class)
public final class FrameFileDownloader implements AgentEnd.Part, Closeable {
    /** Maximum length of a request to a store: 4 MiB, which take as long as some round trips. */
    private static final int RANGES_PER_REQUEST = 64;

    private final ThreadCpuTimes times = new ThreadCpuTimes();
    private final TransferThreads threads = new TransferThreads(times);
    private final ExecutorService decoding =
            Executors.newFixedThreadPool(DecodePipeline.READ_AHEAD_BLOCKS, loop -> threads.create("decode", loop));
    private final List<Thread> started = new ArrayList<>();
    private final UninterruptedWrites writes = new UninterruptedWrites();
    private final HeapBudget.Reservation reservation;
    private final DownloadBuffer buffer;
    private final RangeReader reader;
    private final int maxBlock;
    private final SelectedFiles selected;
    private final FileRanges file;
    private final IOException closed = new IOException("the transfer is over");
    private DirectLaneGroup direct;
    private volatile BooleanSupplier waits;

    /**
     * @param selected files to download
     * @param maxBlock length of the file's largest block, bytes
     */
    public FrameFileDownloader(SelectedFiles selected, int maxBlock) {
        this.selected = selected;
        file = new FileRanges(selected.wireBytes());
        this.maxBlock = maxBlock;
        long fixed = (long) DecodePipeline.READ_AHEAD_BLOCKS * (maxBlock + FrameCodec.maxFrameLength(maxBlock));
        reservation = HeapBudget.ofThisJvm().open(fixed, 16L * FileRanges.RANGE_BYTES);
        try {
            buffer = new DownloadBuffer(file, reservation);
            reader = new RangeReader(buffer, file);
        } catch (Throwable e) { // an OutOfMemoryError, for example
            reservation.close();
            throw e;
        }
    }

    /**
     * Downloads the file and unpacks it.
     *
     * @param lanes       streams that deliver the requested ranges
     * @param requests    stream of range requests to the sender
     * @param offer       offer of direct lanes; null if there is none
     * @param followLinks whether to write through symbolic links; see {@link Workspace}
     * @param complete    see {@link TarUnpacker#skipFiles}
     * @throws IOException with the reason, the first missing file, and the file and block that failed, if known
     */
    public DownloadReport fetch(
            Path workspace,
            List<? extends InputStream> lanes,
            OutputStream requests,
            @CheckForNull DirectLaneOffer offer,
            boolean followLinks,
            int complete)
            throws IOException, InterruptedException {
        Workspace files = new Workspace(workspace, followLinks);
        return fetch(files, complete, offer == null ? 0 : offer.bodyLimit(), () -> {
            boolean shared = false;
            if (offer != null && file.length() >= offer.minBytes()) {
                if (!offer.required()) {
                    shared = true;
                    double limit = TimeUnit.MILLISECONDS.toNanos(offer.limits().requestMillis());
                    buffer.share(new LaneBalance(lanes.size(), DirectDownloadLane.MAX_BODY, limit), System::nanoTime);
                }
                direct = new DirectLaneGroup(offer, buffer, threads);
                direct.open();
            }
            for (int i = 0; i < lanes.size(); i++) {
                start(new StreamDownloadLane(buffer, i, lanes.get(i), requests, writes, shared));
            }
        });
    }

    /**
     * Downloads the selected files from a store and unpacks them, like {@link #fetch(Path, List, OutputStream, DirectLaneOffer, boolean, int)}.
     *
     * @param stored opens a range of the file by its position and length
     * @param waits  returns whether no range can be opened before the controller answers
     * @param lanes  number of requests at a time
     */
    public DownloadReport fetch(
            Workspace files, BiFunction<Long, Long, InputStream> stored, BooleanSupplier waits, int lanes)
            throws IOException, InterruptedException {
        this.waits = waits;
        return fetch(files, 0, 0, () -> {
            for (int i = 0; i < lanes; i++) {
                start(() -> downloadAll(stored));
            }
        });
    }

    private void downloadAll(BiFunction<Long, Long, InputStream> stored) throws IOException, InterruptedException {
        // many short runs are requested in parallel
        long ofRun = (file.length() - 1) / ((long) selected.runs() * FileRanges.RANGE_BYTES) + 1;
        RangeSpan span;
        while ((span = buffer.takeForStream((int) Math.min(ofRun, RANGES_PER_REQUEST))) != null) {
            try (InputStream in = selected.open(stored, FileRanges.position(span.first()), file.length(span))) {
                buffer.read(span, new DataInputStream(in));
            }
        }
    }

    private DownloadReport fetch(Workspace files, int complete, int bodyLimit, Runnable starter)
            throws IOException, InterruptedException {
        CpuTimingExecutor writers =
                new CpuTimingExecutor(task -> threads.create("write", task).start(), ThreadCpuTimes::current);
        try (TarUnpacker unpacker = new TarUnpacker(files, selected.names(), new DiskHelpers(writers, reservation))) {
            unpacker.skipFiles(complete);
            buffer.report(unpacker::completeEntries);
            starter.run();
            FrameParser frames = new FrameParser(reader, maxBlock, selected);
            try (DecodePipeline blocks = new DecodePipeline(frames, decoding, maxBlock, new ReceiveProgress())) {
                Contents objects = new Contents(blocks);
                unpacker.unpack(selected.tar(objects, new BlockInputStream(blocks)));
                long cpuNanos = times.cpuNanos() < 0 ? -1 : times.cpuNanos() + writers.cpuNanos();
                long waitingNanos = frames.waitingNanos() + objects.waitingNanos;
                Figures figures = blocks.figures(unpacker.entries(), unpacker.contentBytes(), waitingNanos, cpuNanos);
                if (direct != null) {
                    direct.end(TimeUnit.NANOSECONDS.toMillis(buffer.unansweredNanos()));
                }
                return new DownloadReport(
                        new ReceiveReport(figures, unpacker.warnings(), unpacker.writers()),
                        direct == null ? null : direct.report(bodyLimit));
            }
        } catch (InterruptedIOException e) {
            throw Tasks.interrupted("Interrupted while unstashing", e);
        }
    }

    /** The contents of objects of single files, which are downloaded before all frames. */
    private final class Contents extends ChunkedInputStream {
        private final DecodePipeline blocks;
        private long waitingNanos;

        Contents(DecodePipeline blocks) {
            this.blocks = blocks;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            long start = System.nanoTime();
            try {
                int n = reader.read(target, offset, length, true);
                return n == 0 ? -1 : n;
            } catch (InterruptedException e) {
                throw Tasks.interrupted("Interrupted while receiving");
            } finally {
                waitingNanos += System.nanoTime() - start;
                blocks.addAwaited(System.nanoTime() - start);
            }
        }
    }

    @Override
    public long[] state() {
        long[] state = buffer.state();
        if (state[0] == AgentEnd.WAITS && waits != null && !waits.getAsBoolean()) {
            state[0] = AgentEnd.WAITS_FOR_STORE;
        }
        return state;
    }

    private void start(DownloadLane lane) {
        Thread thread = threads.create("fetch", () -> {
            try {
                lane.downloadAll();
            } catch (Throwable e) { // after any failure, no thread may wait forever for this lane's ranges
                buffer.fail(e);
            }
        });
        started.add(thread);
        thread.start();
    }

    @Override
    public void close() {
        reservation.close();
        buffer.fail(closed);
        writes.close(started);
        decoding.shutdown();
        if (direct != null) {
            direct.close();
        }
    }
}
