package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.lane.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.lane.FirstFailure;
import io.jenkins.plugins.compressionaware.engine.lane.ReturnedWorkQueue;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A file at the other end, in pieces that several lanes fetch and one thread takes in order. A lane that asks is given the next pieces, as many as it may have at
 * once, once there is heap for them; streams by the rules of {@link ReturnedWorkQueue}.
 *
 * <p>No byte is lost or used twice: a piece that comes twice is dropped. One lock guards all state; nobody holds it while waiting for anything else.
 */
final class DownloadBuffer {
    /** Bytes of every piece but the last. */
    static final int RANGE_BYTES = FrameCodec.DEFAULT_BLOCK - 1024;

    private final long length;
    private final long count;
    private final HeapBudget.Reservation account;
    private final Queue<byte[]> spare = new ConcurrentLinkedQueue<>();

    // guarded by this, as is all that follows
    private final Map<Long, byte[]> arrived = new HashMap<>();
    private final ReturnedWorkQueue<Run> reserve = new ReturnedWorkQueue<>();
    private long next;
    private long missing;
    private long taken;
    private long allowed;
    /** Whether the thread that takes pieces waits for the next piece. */
    private boolean waiting;

    private final FirstFailure failed = new FirstFailure("", "receiving");

    /**
     * Consecutive pieces.
     *
     * @param first number of the first, from 0
     */
    record Run(long first, int pieces) {}

    /** @param length of the file, bytes, at least 1 */
    DownloadBuffer(long length, HeapBudget.Reservation account) {
        this.length = length;
        this.account = account;
        count = (length + RANGE_BYTES - 1) / RANGE_BYTES;
        missing = count;
        allowed = account.grant(0);
    }

    /** Position of a piece in the file, bytes. */
    long position(long number) {
        return number * RANGE_BYTES;
    }

    /** Bytes of a piece. */
    int length(long number) {
        return (int) Math.min(RANGE_BYTES, length - position(number));
    }

    /** Bytes of a run. */
    int length(Run run) {
        return (int) (Math.min(length, position(run.first + run.pieces)) - position(run.first));
    }

    /** The next piece for a stream; null if there is none now. */
    synchronized Run pollForStream(int most) throws IOException {
        check();
        Run back = reserve.poll();
        return back != null || reserve.streamsMustWait() ? back : next(most);
    }

    /** The next piece for a stream; waits for it. Null when every piece is there. */
    synchronized Run takeForStream(int most) throws IOException, InterruptedException {
        while (true) {
            Run run = pollForStream(most);
            if (run != null || missing == 0) {
                return run;
            }
            wait();
        }
    }

    /** The next pieces for a direct lane; waits for them. Null when no more are left for any lane. */
    synchronized Run takeForDirect(int most) throws IOException, InterruptedException {
        while (true) {
            check();
            Run run = next(most);
            if (run != null || next == count) {
                return run;
            }
            wait();
        }
    }

    private Run next(int most) {
        long room = (allowed - position(next)) / RANGE_BYTES;
        int pieces = (int) Math.min(Math.min(most, room), count - next);
        if (pieces <= 0) {
            return null;
        }
        Run run = new Run(next, pieces);
        next += pieces;
        return run;
    }

    /** Reads the pieces of a run. */
    void read(Run run, DataInputStream in) throws IOException {
        for (long number = run.first; number < run.first + run.pieces; number++) {
            byte[] used = spare.poll();
            byte[] piece = used != null ? used : new byte[RANGE_BYTES];
            in.readFully(piece, 0, length(number));
            put(number, piece);
        }
    }

    private synchronized void put(long number, byte[] bytes) throws IOException {
        check();
        if (number < taken || arrived.containsKey(number)) {
            spare.add(bytes);
            return;
        }
        arrived.put(number, bytes);
        missing--;
        notifyAll();
    }

    /** From now on streams wait for what is given back. */
    synchronized void addDirectLanes(int number) {
        reserve.begin(number);
    }

    /**
     * A direct lane ends.
     *
     * @param run the pieces that it had in hand, of which others fetch those that have not arrived; null if none
     */
    synchronized void removeDirectLane(Run run) {
        reserve.end();
        try {
            Run left = run == null ? new Run(0, 0) : run;
            for (long number = left.first; number < left.first + left.pieces; number++) {
                if (number >= taken && !arrived.containsKey(number)) {
                    reserve.returnWork(new Run(number, 1));
                }
            }
        } catch (Throwable e) { // a full heap: some pieces are lost
            fail(e);
        }
        notifyAll();
    }

    /** Writes the next piece in order and drops it; see {@link FrameParser.Source}. For one thread. */
    boolean writeTo(OutputStream out, boolean mayWait) throws IOException, InterruptedException {
        byte[] piece;
        int pieceLength;
        synchronized (this) {
            check();
            while (mayWait && taken < count && !arrived.containsKey(taken)) {
                waiting = true;
                wait();
                check();
            }
            waiting = false;
            piece = arrived.remove(taken);
            if (piece == null) {
                return false;
            }
            pieceLength = length(taken++);
        }
        out.write(piece, 0, pieceLength);
        spare.add(piece);
        synchronized (this) {
            allowed = account.grant(position(taken));
            notifyAll();
        }
        return true;
    }

    /** Returns the state, see {@link AgentEnd.Part#state}. */
    synchronized long[] state() {
        return new long[] {
            waiting ? AgentEnd.WAITS : AgentEnd.BUSY, position(count - missing), Math.min(length, position(next))
        };
    }

    /** Ends the transfer; the first reason counts. Never throws. */
    synchronized void fail(Throwable reason) {
        if (failed.set(reason)) {
            arrived.clear();
            notifyAll();
        }
    }

    private void check() throws IOException {
        IOException failure = failed.get();
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
    }
}
