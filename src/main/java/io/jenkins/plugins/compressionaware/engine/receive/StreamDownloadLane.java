package io.jenkins.plugins.compressionaware.engine.receive;

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

    /** Bytes requested ahead: twice Remoting's window of a stream, so that the sender has work while a request is in transit. */
    private static final int READ_AHEAD_BYTES = 2 << 20;

    private final DownloadBuffer buffer;
    private final int lane;
    private final DataInputStream in;
    private final OutputStream requests;
    private final UninterruptedWrites writes;
    private final Queue<RangeSpan> pending = new ArrayDeque<>();
    private long outstanding;

    /**
     * @param requests stream of range requests, shared by all lanes
     * @param writes performs the writes of range requests
     */
    StreamDownloadLane(
            DownloadBuffer buffer, int lane, InputStream in, OutputStream requests, UninterruptedWrites writes) {
        this.buffer = buffer;
        this.lane = lane;
        this.in = new DataInputStream(in);
        this.requests = requests;
        this.writes = writes;
    }

    @Override
    public void downloadAll() throws IOException, InterruptedException {
        while (true) {
            while (outstanding < READ_AHEAD_BYTES) {
                RangeSpan run = pending.isEmpty()
                        ? buffer.takeForStream(RANGES_PER_REQUEST)
                        : buffer.pollForStream(RANGES_PER_REQUEST);
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
