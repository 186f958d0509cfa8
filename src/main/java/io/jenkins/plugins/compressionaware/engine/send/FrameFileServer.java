package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.flow.UninterruptedWrites;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Sends ranges of a frame file as the receiver requests them. One thread of the executor reads the requests; one thread per lane reads the file and
 * writes, so memory holds only the bytes that are being sent. A failure closes the lane, so that the receiver notices it.
 */
@Restricted(NoExternalUse.class)
public final class FrameFileServer implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(FrameFileServer.class.getName());

    /** Maximum length of a range, bytes. A request beyond this limit ends the transfer. */
    private static final int MAX_RANGE = 4 << 20;

    /** Maximum number of requests that wait at a lane. A request beyond this limit ends the transfer. */
    private static final int MAX_WAITING = 256;

    private final FrameFile file;
    private final List<BlockingQueue<RangeRequest>> waiting = new ArrayList<>();
    private final List<Future<?>> tasks = new CopyOnWriteArrayList<>();
    /** Lanes whose task has not started, so that only {@link #close} can close them. */
    private final List<OutputStream> unserved = new CopyOnWriteArrayList<>();

    private final ExecutorService executor;
    private final AtomicInteger reading = new AtomicInteger();
    private final UninterruptedWrites writes = new UninterruptedWrites();

    /**
     * @param requests range requests, read to the end
     * @param lanes    lanes by number; each is closed after its last byte or when it fails
     */
    public FrameFileServer(
            FrameFile file, InputStream requests, List<? extends OutputStream> lanes, ExecutorService executor) {
        this.file = file;
        this.executor = executor;
        try {
            for (OutputStream lane : lanes) {
                BlockingQueue<RangeRequest> queue = new LinkedBlockingQueue<>(MAX_WAITING);
                waiting.add(queue);
                unserved.add(lane);
                start(() -> serve(queue, lane));
            }
            start(() -> dispatch(new DataInputStream(requests)));
        } catch (Throwable e) { // the system may refuse a thread after others have started
            close();
            throw e;
        }
    }

    private interface Task {
        void run() throws IOException, InterruptedException;
    }

    private void start(Task task) {
        FutureTask<Void> work = new FutureTask<>(() -> {
            try {
                task.run();
            } catch (EOFException e) {
                LOGGER.log(Level.FINE, "No more range requests", e);
            } catch (IOException | RuntimeException e) {
                LOGGER.log(Level.FINE, "Stopped sending " + file.name(), e);
            }
            return null;
        });
        tasks.add(work); // first: only this list can cancel a task that runs
        executor.execute(work);
    }

    private void dispatch(DataInputStream requests) throws IOException {
        try {
            while (true) {
                RangeRequest request = RangeRequest.read(requests);
                if (request.lane() < 0
                        || request.lane() >= waiting.size()
                        || request.length() < 1
                        || request.length() > MAX_RANGE
                        || !waiting.get(request.lane()).offer(request)) {
                    throw new IOException("Invalid range request: " + request);
                }
            }
        } finally {
            close(); // otherwise the lanes would wait forever for requests, and the receiver for the lanes
        }
    }

    private void serve(BlockingQueue<RangeRequest> requests, OutputStream lane)
            throws IOException, InterruptedException {
        unserved.remove(lane);
        try (lane) {
            byte[] full = new byte[StreamLane.CHUNK];
            while (true) {
                RangeRequest request = requests.take();
                for (int done = 0; done < request.length(); ) {
                    int length = Math.min(StreamLane.CHUNK, request.length() - done);
                    // the whole array is written, and reused, because remoting copies its bytes before the write
                    // returns
                    byte[] chunk = length == full.length ? full : new byte[length];
                    reading.incrementAndGet();
                    try {
                        file.read(request.position() + done, chunk, 0, chunk.length);
                    } finally {
                        reading.decrementAndGet();
                    }
                    writes.write(lane, chunk);
                    done += chunk.length;
                }
            }
        }
    }

    /** Returns whether a lane is reading the file, possibly waiting for the disk. Any thread may call this. */
    public boolean isReading() {
        return reading.get() > 0;
    }

    /** Stops sending, without waiting for a running read of the disk. */
    @Override
    public void close() {
        writes.closeAndAwait();
        tasks.forEach(task -> task.cancel(true));
        for (OutputStream lane : unserved) {
            try {
                lane.close(); // its cancelled task never runs, and the receiver would wait for the lane
            } catch (IOException e) {
                LOGGER.log(Level.FINE, e, () -> "Cannot close a lane of " + file.name());
            }
        }
    }
}
