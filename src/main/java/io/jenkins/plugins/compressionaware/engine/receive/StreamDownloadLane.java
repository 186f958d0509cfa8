package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Queue;

/** Orders pieces from one lane, a few of them ahead, and takes them. Used by one thread. */
final class StreamDownloadLane {
    /** Pieces per order. */
    private static final int RANGES_PER_REQUEST = 2;

    /** Bytes ordered ahead: twice remoting's window of a stream, so that the other end has work while an order is on its way. */
    private static final int READ_AHEAD_BYTES = 2 << 20;

    private final DownloadBuffer pieces;
    private final int lane;
    private final DataInputStream in;
    private final OutputStream orders;
    private final Queue<DownloadBuffer.Run> ordered = new ArrayDeque<>();
    private long outstanding;

    /** @param orders shared with other lanes */
    StreamDownloadLane(DownloadBuffer pieces, int lane, InputStream in, OutputStream orders) {
        this.pieces = pieces;
        this.lane = lane;
        this.in = new DataInputStream(in);
        this.orders = orders;
    }

    /** Returns when every piece is there. */
    void fetchAll() throws IOException, InterruptedException {
        while (true) {
            while (outstanding < READ_AHEAD_BYTES) {
                DownloadBuffer.Run run = ordered.isEmpty()
                        ? pieces.takeForStream(RANGES_PER_REQUEST)
                        : pieces.pollForStream(RANGES_PER_REQUEST);
                if (run == null) {
                    break;
                }
                order(run);
            }
            if (ordered.isEmpty()) {
                return;
            }
            fetch(ordered.remove());
        }
    }

    private void order(DownloadBuffer.Run run) throws IOException {
        RangeRequest order = new RangeRequest(lane, pieces.position(run.first()), pieces.length(run));
        synchronized (orders) {
            orders.write(order.toBytes());
        }
        ordered.add(run);
        outstanding += order.length();
    }

    private void fetch(DownloadBuffer.Run run) throws IOException {
        pieces.read(run, in);
        outstanding -= pieces.length(run);
    }
}
