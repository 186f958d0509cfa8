package io.jenkins.plugins.compressionaware.engine.send;

import edu.umd.cs.findbugs.annotations.SuppressFBWarnings;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.run.FirstFailure;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.engine.run.UninterruptedWrites;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Sends ranges of a frame file as the receiver requests them. One thread of the executor reads the requests; one thread per lane reads the file and
 * writes, so memory holds only the bytes that are being sent. A failure closes the lane, so that the receiver notices it. No thread is interrupted
 * while the channel is open, because all of them write to it.
 */
@Restricted(NoExternalUse.class)
public final class FrameFileServer implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(FrameFileServer.class.getName());

    /** Maximum length of a range, bytes. A request beyond this limit ends the transfer. */
    private static final int MAX_RANGE = 4 << 20;

    /** Maximum number of requests that wait at a lane. A request beyond this limit ends the transfer. */
    private static final int MAX_WAITING = 256;

    /** Wakes a thread that waits for a request, and is never sent. */
    private static final RangeRequest END = new RangeRequest(0, 0, 1, 0);

    private final FrameFile file;
    private final List<BlockingQueue<RangeRequest>> waiting = new ArrayList<>();
    /** Lanes that no thread serves yet, so that only {@link #close} can close them. */
    private final List<OutputStream> unserved;

    private final UninterruptedWrites writes = new UninterruptedWrites();

    private final Executor executor;
    private final AtomicInteger reading = new AtomicInteger();
    private final FirstFailure failure = new FirstFailure("", "sending");
    private volatile InputStream requests = InputStream.nullInputStream();
    private volatile boolean closed;

    /** @param lanes lanes by number; each is closed after its last byte, when it fails, or with this server */
    public FrameFileServer(FrameFile file, List<? extends OutputStream> lanes, Executor executor) {
        this.file = file;
        this.executor = executor;
        unserved = new CopyOnWriteArrayList<>(lanes);
        lanes.forEach(lane -> waiting.add(new LinkedBlockingQueue<>(MAX_WAITING)));
    }

    private interface Task {
        void run() throws IOException, InterruptedException;
    }

    /**
     * @param rangeRequests range requests, read to the end, and closed with this server
     * @param complete receives the number of complete entries with each request; any number if the receiver is not trusted
     */
    public void start(InputStream rangeRequests, IntConsumer complete) {
        requests = rangeRequests;
        Iterator<BlockingQueue<RangeRequest>> queues = waiting.iterator();
        for (OutputStream lane : unserved) {
            BlockingQueue<RangeRequest> queue = queues.next();
            execute(() -> serve(queue, lane), lane);
        }
        execute(() -> dispatch(new DataInputStream(rangeRequests), complete), rangeRequests);
    }

    private void execute(Task task, Closeable stream) {
        executor.execute(() -> {
            try {
                task.run();
            } catch (IOException | InterruptedException e) { // the receiver or the file has the reason
                LOGGER.log(Level.FINE, "Stopped sending " + file.name(), e);
            } catch (Throwable e) {
                fail(e);
            } finally {
                close(stream);
                close(); // otherwise other lanes would wait forever for requests, or the receiver for them
            }
        });
    }

    private void fail(Throwable reason) {
        synchronized (failure) {
            failure.set(reason);
        }
        LOGGER.log(Level.FINE, "Cannot send " + file.name(), reason);
    }

    /** Returns the message of this end's failure; the receiver's reason if there is none. */
    public String failureOr(String receiversReason) {
        synchronized (failure) {
            IOException own = failure.get();
            return own == null ? receiversReason : own.getMessage();
        }
    }

    private void dispatch(DataInputStream in, IntConsumer complete) throws IOException {
        while (true) {
            RangeRequest request = RangeRequest.read(in);
            if (request.lane() < 0
                    || request.lane() >= waiting.size()
                    || request.length() < 1
                    || request.length() > MAX_RANGE
                    || !waiting.get(request.lane()).offer(request)) {
                throw new IOException("Invalid range request: " + request);
            }
            complete.accept(request.complete());
        }
    }

    private void serve(BlockingQueue<RangeRequest> queue, OutputStream lane) throws IOException, InterruptedException {
        unserved.remove(lane);
        byte[] full = new byte[StreamLane.CHUNK];
        while (!closed) {
            RangeRequest request = queue.poll(1, TimeUnit.SECONDS);
            for (int done = 0; request != null && done < request.length() && !closed; ) {
                int length = Math.min(StreamLane.CHUNK, request.length() - done);
                // the whole array is written, and reused, because remoting copies its bytes before the write returns
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

    /** Returns what performs the writes to the lanes, which go on after this server is closed. */
    public UninterruptedWrites writes() {
        return writes;
    }

    /** Returns whether a lane is reading the file, possibly waiting for the disk. Any thread may call this. */
    public boolean isReading() {
        return reading.get() > 0;
    }

    /** Stops sending. Does not wait for a running read of the disk or write to a lane. */
    @Override
    @SuppressFBWarnings(value = "RV_RETURN_VALUE_IGNORED_BAD_PRACTICE", justification = "a full queue needs no end")
    public void close() {
        closed = true;
        for (OutputStream lane : unserved) {
            // writes to the channel, so not on the calling thread, which can be interrupted
            if (unserved.remove(lane) && !Tasks.begin(executor, () -> close(lane))) {
                close(lane);
            }
        }
        close(requests); // the receiver can no longer block the channel with requests that nothing reads
        for (BlockingQueue<RangeRequest> queue : waiting) {
            queue.offer(END);
        }
    }

    private void close(Closeable stream) {
        try {
            stream.close();
        } catch (IOException e) {
            LOGGER.log(Level.FINE, e, () -> "Cannot close a stream of " + file.name());
        }
    }
}
