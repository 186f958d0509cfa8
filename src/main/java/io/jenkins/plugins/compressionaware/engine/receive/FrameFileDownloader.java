package io.jenkins.plugins.compressionaware.engine.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.flow.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.flow.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.lane.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneGroup;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import io.jenkins.plugins.compressionaware.engine.flow.Tasks;
import io.jenkins.plugins.compressionaware.engine.tar.WorkerResources;
import io.jenkins.plugins.compressionaware.engine.tar.Workspace;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The receiving end of a stored file, on an agent. Orders the file in pieces, decodes blocks ahead, and unpacks verified blocks into the workspace.
 */
@Restricted(NoExternalUse.class)
public final class FrameFileDownloader implements AgentEnd.Part, Closeable {
    private final ThreadCpuTimes times = new ThreadCpuTimes();
    private final TransferThreads threads = new TransferThreads(times);
    private final ExecutorService decoding =
            Executors.newFixedThreadPool(DecodePipeline.READ_AHEAD_BLOCKS, loop -> threads.create("decode", loop));
    private final List<Thread> started = new ArrayList<>();
    private final HeapBudget.Reservation account;
    private final DownloadBuffer pieces;
    private final int maxBlock;
    private final long length;
    private final IOException over = new IOException("the transfer is over");
    private DirectLaneGroup direct;

    /**
     * @param length   of the file's frames, bytes
     * @param maxBlock bytes of its largest block
     */
    public FrameFileDownloader(long length, int maxBlock) {
        this.length = length;
        this.maxBlock = maxBlock;
        long fixed = (long) DecodePipeline.READ_AHEAD_BLOCKS * (maxBlock + FrameLimits.maxFrame(maxBlock));
        account = HeapBudget.ofThisJvm().open(fixed, 4L * DownloadBuffer.RANGE_BYTES);
        try {
            pieces = new DownloadBuffer(length, account);
        } catch (Throwable e) { // an OutOfMemoryError, for example
            account.close();
            throw e;
        }
    }

    /**
     * Fetches the file and unpacks it.
     *
     * @param lanes  bring the bytes ordered from them
     * @param orders leads to the sender
     * @param offer  offer of direct lanes; null if there is none
     * @param followLinks see {@link Workspace}
     * @throws IOException with the reason, the first missing file, and the file and block that failed, if known
     */
    public DownloadReport fetch(
            Path workspace,
            List<? extends InputStream> lanes,
            OutputStream orders,
            @CheckForNull DirectLaneOffer offer,
            boolean followLinks)
            throws IOException, InterruptedException {
        CpuTimingExecutor writers =
                new CpuTimingExecutor(task -> threads.create("write", task).start(), ThreadCpuTimes::current);
        Workspace target = new Workspace(workspace, followLinks);
        try (Destination landing = TreeDestination.workspace(target, new WorkerResources(writers, account))) {
            if (offer != null && length >= DirectLaneGroup.minBytes(offer)) {
                direct = new DirectLaneGroup(offer, new DirectDownloadLanes(pieces), threads);
                direct.open();
            }
            for (int i = 0; i < lanes.size(); i++) {
                StreamDownloadLane lane = new StreamDownloadLane(pieces, i, lanes.get(i), orders);
                start(lane::fetchAll);
            }
            FrameParser frames = new FrameParser(pieces::writeTo, maxBlock);
            try (DecodePipeline blocks = new DecodePipeline(frames, decoding, maxBlock, new ReceiveProgress())) {
                landing.receive(blocks);
                List<ExtractionWarning> warnings = landing.commit();
                long cpuNanos = times.cpuNanos() < 0 ? -1 : times.cpuNanos() + writers.cpuNanos();
                ReceiveReport received = blocks.report(landing, warnings, frames.waitingNanos(), cpuNanos);
                return new DownloadReport(received, direct == null ? null : direct.report(offer.bodyLimit()));
            }
        } catch (InterruptedIOException e) {
            throw Tasks.interrupted("Interrupted while unstashing", e);
        }
    }

    @Override
    public long[] state() {
        return pieces.state();
    }

    private interface Task {
        void run() throws IOException, InterruptedException;
    }

    private void start(Task task) {
        Thread thread = threads.create("fetch", () -> {
            try {
                task.run();
            } catch (Throwable e) { // whatever it is, nobody may wait for its pieces for ever
                pieces.fail(e);
            }
        });
        started.add(thread);
        thread.start();
    }

    @Override
    public void close() {
        account.close();
        pieces.fail(over);
        started.forEach(Thread::interrupt);
        decoding.shutdown();
        if (direct != null) {
            direct.close();
        }
    }
}
