package io.jenkins.plugins.compressionaware.receive;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A file at the other end, in pieces that several lanes fetch and one thread takes in order. There are two kinds of lanes: a stream brings all that
 * it was asked for or ends the transfer; a direct lane may fail, and gives back what it has not brought. A lane that asks is given, in this order:
 * <ol>
 * <li>a stream: what was given back.
 * <li>a stream, while there are direct lanes: nothing.
 * <li>the next pieces, as many as it may have at once, once there is heap for them.
 * </ol>
 *
 * <p>So no byte is lost, and none is used twice: a piece that comes twice is dropped. All state has one lock, which nobody holds while waiting for
 * anything else.
 */
final class Pieces {
    /** Bytes of a piece, but for the last. An array of it is not yet a humongous object in a small heap of G1. */
    static final int SIZE = 256 * 1024 - 1024;

    /** How often a waiting reader looks after the sender, milliseconds. */
    private static final long LOOK_AFTER_SENDER = 500;

    private final long length;
    private final long count;
    private final HeapBudget.Account account;
    private final Queue<byte[]> spare = new ConcurrentLinkedQueue<>();

    // guarded by this, as all that follows
    private final Map<Long, byte[]> arrived = new HashMap<>();
    private final Queue<Run> givenBack = new ArrayDeque<>();
    private long next;
    private long missing;
    private long taken;
    private long allowed;
    private int directLanes;
    private IOException failure;

    /**
     * Consecutive pieces.
     *
     * @param first number of the first, from 0
     */
    record Run(long first, int pieces) {}

    /** @param length of the file, bytes, at least 1 */
    Pieces(long length, HeapBudget.Account account) {
        this.length = length;
        this.account = account;
        count = (length + SIZE - 1) / SIZE;
        missing = count;
        allowed = account.grant(0);
    }

    /** Where a piece begins, bytes. */
    long position(long number) {
        return number * SIZE;
    }

    /** Bytes of a piece. */
    int length(long number) {
        return (int) Math.min(SIZE, length - position(number));
    }

    /** Bytes of a run. */
    int length(Run run) {
        return (int) (Math.min(length, position(run.first + run.pieces)) - position(run.first));
    }

    /** An array of {@link #SIZE} bytes. */
    byte[] array() {
        byte[] used = spare.poll();
        return used != null ? used : new byte[SIZE];
    }

    /** The next piece for a stream; null if there is none now. */
    synchronized Run pollForStream(int most) throws IOException {
        check();
        Run back = givenBack.poll();
        return back != null || directLanes > 0 ? back : next(most);
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

    /** The next pieces for a direct lane; waits for them. Null when there are no more for any. */
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
        long room = (allowed - position(next)) / SIZE;
        int pieces = (int) Math.min(Math.min(most, room), count - next);
        if (pieces <= 0) {
            return null;
        }
        Run run = new Run(next, pieces);
        next += pieces;
        return run;
    }

    /** A piece is there; its array is given away. */
    synchronized void put(long number, byte[] bytes) throws IOException {
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
    synchronized void directLanesBegin(int number) {
        directLanes += number;
    }

    /**
     * A direct lane ends.
     *
     * @param run what it had in its hands; what of it has not arrived is fetched by others. Null if nothing
     */
    synchronized void directLaneEnds(Run run) {
        directLanes--;
        if (run != null) {
            giveBack(run);
        }
        notifyAll();
    }

    /** The rest of a run that has not arrived is fetched by others. */
    synchronized void giveBack(Run run) {
        for (long number = run.first; number < run.first + run.pieces; number++) {
            if (number >= taken && !arrived.containsKey(number)) {
                givenBack.add(new Run(number, 1));
            }
        }
        notifyAll();
    }

    /** The next piece in order; null if it has not arrived, or there is no more. */
    synchronized byte[] poll() throws IOException {
        check();
        byte[] bytes = arrived.remove(taken);
        if (bytes != null) {
            taken++;
        }
        return bytes;
    }

    /** The next piece in order; waits for it as long as the sender is well. */
    byte[] take(SenderWatch watch) throws IOException, InterruptedException {
        while (true) {
            synchronized (this) {
                byte[] bytes = poll();
                if (bytes == null && taken == count) {
                    throw new IOException("the file ends in the middle of a block");
                }
                if (bytes == null) {
                    wait(LOOK_AFTER_SENDER);
                    bytes = poll();
                }
                if (bytes != null) {
                    return bytes;
                }
            }
            watch.check();
        }
    }

    /** A piece that was taken is no longer needed. */
    void release(byte[] bytes) {
        spare.add(bytes);
        synchronized (this) {
            allowed = account.grant(position(taken));
            notifyAll();
        }
    }

    /** Ends the transfer; the first reason counts. */
    synchronized void fail(IOException reason) {
        if (failure == null) {
            failure = reason;
            arrived.clear();
            notifyAll();
        }
    }

    private void check() throws IOException {
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
    }
}
