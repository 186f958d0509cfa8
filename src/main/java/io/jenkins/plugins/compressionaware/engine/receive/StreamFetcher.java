package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.flow.Order;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Queue;

/** Orders pieces from one lane, a few of them ahead, and takes them. Used by one thread. */
final class StreamFetcher {
    /** Pieces per order. */
    private static final int RUN = 2;

    /** Bytes ordered ahead: twice remoting's window of a stream, so that the other end has work while an order is on its way. */
    private static final int AHEAD = 2 << 20;

    private final FilePieces pieces;
    private final int lane;
    private final DataInputStream in;
    private final OutputStream orders;
    private final Queue<FilePieces.Run> ordered = new ArrayDeque<>();
    private long outstanding;

    /** @param orders shared with other lanes */
    StreamFetcher(FilePieces pieces, int lane, InputStream in, OutputStream orders) {
        this.pieces = pieces;
        this.lane = lane;
        this.in = new DataInputStream(in);
        this.orders = orders;
    }

    /** Returns when every piece is there. */
    void fetchAll() throws IOException, InterruptedException {
        while (true) {
            while (outstanding < AHEAD) {
                FilePieces.Run run = ordered.isEmpty() ? pieces.takeForStream(RUN) : pieces.pollForStream(RUN);
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

    private void order(FilePieces.Run run) throws IOException {
        Order order = new Order(lane, pieces.position(run.first()), pieces.length(run));
        synchronized (orders) {
            orders.write(order.toBytes());
        }
        ordered.add(run);
        outstanding += order.length();
    }

    private void fetch(FilePieces.Run run) throws IOException {
        pieces.read(run, in);
        outstanding -= pieces.length(run);
    }
}
