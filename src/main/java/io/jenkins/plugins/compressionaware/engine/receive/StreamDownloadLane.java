package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.run.UninterruptedWrites;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Queue;

/** Downloads ranges over one stream, requesting some ranges ahead. Not thread-safe. */
final class StreamDownloadLane implements DownloadLane {
    private static final int RANGES_PER_REQUEST = 8;

    /** As {@link #RANGES_PER_REQUEST}, while fewer bytes are requested ahead. */
    private static final int SHARED_RANGES_PER_REQUEST = 4;

    /** Bytes requested ahead: twice Remoting's window of a stream, so that the sender has work while a request is in transit. */
    private static final int READ_AHEAD = 2 * Credit.STREAM_WINDOW;

    /** Maximum bytes requested ahead if direct lanes may share the work: later ranges wait for those of a slow channel. */
    private static final int SHARED_READ_AHEAD = Credit.STREAM_WINDOW;

    private final DownloadBuffer buffer;
    private final int lane;
    private final DataInputStream in;
    private final OutputStream requests;
    private final UninterruptedWrites writes;
    private final int readAhead;
    private final int ranges;
    private final Queue<RangeSpan> pending = new ArrayDeque<>();
    private long outstanding;

    /**
     * @param requests stream of range requests, shared by all lanes
     * @param writes performs the writes of range requests
     * @param shared whether direct lanes may share the work
     */
    StreamDownloadLane(
            DownloadBuffer buffer,
            int lane,
            InputStream in,
            OutputStream requests,
            UninterruptedWrites writes,
            boolean shared) {
        this.buffer = buffer;
        this.lane = lane;
        this.in = new DataInputStream(in);
        this.requests = requests;
        this.writes = writes;
        readAhead = shared ? SHARED_READ_AHEAD : READ_AHEAD;
        ranges = shared ? SHARED_RANGES_PER_REQUEST : RANGES_PER_REQUEST;
    }

    @Override
    public void downloadAll() throws IOException, InterruptedException {
        while (true) {
            while (outstanding < buffer.readAhead(readAhead)) {
                RangeSpan run = pending.isEmpty() ? buffer.takeForStream(ranges) : buffer.pollForStream(ranges);
                if (run == null) {
                    break;
                }
                request(run);
            }
            if (pending.isEmpty()) {
                return;
            }
            RangeSpan run = pending.remove();
            outstanding -= buffer.readStream(run, in);
        }
    }

    private void request(RangeSpan run) throws IOException {
        RangeRequest request = buffer.request(lane, run);
        synchronized (requests) {
            writes.write(requests, request.toBytes());
        }
        pending.add(run);
        outstanding += request.length();
    }
}
