package io.jenkins.plugins.compressionaware.engine.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.tar.Helpers;
import io.jenkins.plugins.compressionaware.engine.tar.LandingWarning;
import io.jenkins.plugins.compressionaware.engine.tar.Tasks;
import io.jenkins.plugins.compressionaware.engine.tar.Workspace;
import io.jenkins.plugins.compressionaware.engine.lane.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLanes;
import io.jenkins.plugins.compressionaware.engine.lane.DirectOffer;
import io.jenkins.plugins.compressionaware.engine.flow.ThreadTimes;
import io.jenkins.plugins.compressionaware.engine.flow.TransferThreads;
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
public final class Fetcher implements AgentEnd.Part, Closeable {
    private final ThreadTimes times = new ThreadTimes();
    private final TransferThreads threads = new TransferThreads(times);
    private final ExecutorService decoding =
            Executors.newFixedThreadPool(DecodeAhead.AHEAD, loop -> threads.create("decode", loop));
    private final List<Thread> started = new ArrayList<>();
    private final HeapBudget.Account account;
    private final FilePieces pieces;
    private final int maxBlock;
    private final long length;
    private final IOException over = new IOException("the transfer is over");
    private DirectLanes direct;

    /**
     * @param length   of the file's frames, bytes
     * @param maxBlock bytes of its largest block
     */
    public Fetcher(long length, int maxBlock) {
        this.length = length;
        this.maxBlock = maxBlock;
        long fixed = (long) DecodeAhead.AHEAD * (maxBlock + FrameLimits.maxFrame(maxBlock));
        account = HeapBudget.ofThisJvm().open(fixed, 4L * FilePieces.SIZE);
        try {
            pieces = new FilePieces(length, account);
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
    public Fetched fetch(
            Path workspace,
            List<? extends InputStream> lanes,
            OutputStream orders,
            @CheckForNull DirectOffer offer,
            boolean followLinks)
            throws IOException, InterruptedException {
        CountedExecutor writers =
                new CountedExecutor(task -> threads.create("write", task).start(), ThreadTimes::current);
        Workspace target = new Workspace(workspace, followLinks);
        try (Landing landing = IntoTree.workspace(target, new Helpers(writers, account))) {
            if (offer != null && length >= DirectLanes.worthFrom(offer)) {
                direct = new DirectLanes(offer, new DirectFetch(pieces), threads);
                direct.open();
            }
            for (int i = 0; i < lanes.size(); i++) {
                StreamFetcher lane = new StreamFetcher(pieces, i, lanes.get(i), orders);
                start(lane::fetchAll);
            }
            FrameParser frames = new FrameParser(pieces::writeTo, maxBlock);
            try (DecodeAhead blocks = new DecodeAhead(frames, decoding, maxBlock, new Progress())) {
                landing.take(blocks);
                List<LandingWarning> warnings = landing.commit();
                long cpuNanos = times.cpuNanos() < 0 ? -1 : times.cpuNanos() + writers.cpuNanos();
                ReceiveReport received = blocks.report(landing, warnings, frames.waitingNanos(), cpuNanos);
                return new Fetched(received, direct == null ? null : direct.report(offer.bodyLimit()));
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
