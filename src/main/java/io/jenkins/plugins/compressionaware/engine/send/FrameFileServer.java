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
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Sends a stored file as the receiver orders it. One thread of the executor reads the orders; one per lane reads the file and writes. Memory
 * holds only what each lane is sending. The receiver notices a failure here by the end of the lane.
 */
@Restricted(NoExternalUse.class)
public final class FrameFileServer implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(FrameFileServer.class.getName());

    /** Longest order, bytes; below it, most orders that wait at a lane. A receiver that orders more is refused. */
    private static final int MAX_ORDER = 4 << 20;

    private static final int MAX_WAITING = 256;

    private final FrameFile file;
    private final List<BlockingQueue<RangeRequest>> waiting = new ArrayList<>();
    private final List<Future<?>> tasks = new CopyOnWriteArrayList<>();
    private final ExecutorService executor;
    private final AtomicInteger reading = new AtomicInteger();
    private final UninterruptedWrites writes = new UninterruptedWrites();

    /**
     * @param orders read to its end
     * @param lanes  in the order of their numbers; each is closed after its last byte or when it fails
     */
    public FrameFileServer(
            FrameFile file, InputStream orders, List<? extends OutputStream> lanes, ExecutorService executor) {
        this.file = file;
        this.executor = executor;
        try {
            for (OutputStream lane : lanes) {
                BlockingQueue<RangeRequest> queue = new LinkedBlockingQueue<>(MAX_WAITING);
                waiting.add(queue);
                start(() -> serve(queue, lane));
            }
            start(() -> dispatch(new DataInputStream(orders)));
        } catch (Throwable e) { // the system may refuse a thread after some have started
            close();
            throw e;
        }
    }

    private interface Task {
        void run() throws IOException, InterruptedException;
    }

    private void start(Task task) {
        tasks.add(executor.submit(() -> {
            try {
                task.run();
            } catch (EOFException e) {
                LOGGER.log(Level.FINE, "No more orders", e);
            } catch (IOException | RuntimeException e) {
                LOGGER.log(Level.FINE, "Stopped sending " + file.name(), e);
            }
            return null;
        }));
    }

    private void dispatch(DataInputStream orders) throws IOException {
        try {
            while (true) {
                RangeRequest order = RangeRequest.read(orders);
                if (order.lane() < 0
                        || order.lane() >= waiting.size()
                        || order.length() < 1
                        || order.length() > MAX_ORDER
                        || !waiting.get(order.lane()).offer(order)) {
                    throw new IOException("Invalid order: " + order);
                }
            }
        } finally {
            close(); // without orders the lanes would wait for ever, and the receiver for them
        }
    }

    private void serve(BlockingQueue<RangeRequest> orders, OutputStream lane) throws IOException, InterruptedException {
        try (lane) {
            byte[] full = new byte[StreamLane.CHUNK];
            while (true) {
                RangeRequest order = orders.take();
                for (int done = 0; done < order.length(); ) {
                    int length = Math.min(StreamLane.CHUNK, order.length() - done);
                    // writes the whole piece; remoting has copied the bytes when the write returns
                    byte[] chunk = length == full.length ? full : new byte[length];
                    reading.incrementAndGet();
                    try {
                        file.read(order.position() + done, chunk, 0, chunk.length);
                    } finally {
                        reading.decrementAndGet();
                    }
                    writes.write(lane, chunk);
                    done += chunk.length;
                }
            }
        }
    }

    /** Whether a lane is reading the file and may wait for the disk. Any thread may call this. */
    public boolean isReading() {
        return reading.get() > 0;
    }

    /** Stops sending. A read of the disk goes on to its end. */
    @Override
    public void close() {
        writes.closeAndAwait();
        tasks.forEach(task -> task.cancel(true));
    }
}
