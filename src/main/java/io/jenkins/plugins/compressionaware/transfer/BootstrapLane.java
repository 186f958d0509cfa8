package io.jenkins.plugins.compressionaware.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * The lane of a bootstrap call: passes frames on to the receiver, but keeps the last bytes, which are the result of the call. Remoting's thread writes and
 * never blocks. Thread-safe.
 */
final class BootstrapLane extends OutputStream {
    private final OutputStream frames;
    private final LongConsumer arrived;
    private final Runnable onClose;

    @GuardedBy("this")
    private byte[] tail = {};

    @GuardedBy("this")
    private long wireBytes;

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param frames receives the frames
     * @param arrived called with the number of bytes of frames, before they are passed on
     * @param onClose called when the agent has closed the lane
     */
    BootstrapLane(OutputStream frames, LongConsumer arrived, Runnable onClose) {
        this.frames = frames;
        this.arrived = arrived;
        this.onClose = onClose;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b});
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        byte[] all = Arrays.copyOf(tail, tail.length + length);
        System.arraycopy(bytes, offset, all, tail.length, length);
        int n = Math.max(0, all.length - BootstrapArchiveCallable.RESULT_LENGTH);
        tail = Arrays.copyOfRange(all, n, all.length);
        wireBytes += n;
        arrived.accept(n);
        frames.write(all, 0, n);
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        onClose.run();
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** Returns the length of all frames, bytes. Exact after the agent has closed the lane. */
    synchronized long wireBytes() {
        return wireBytes;
    }

    /** Returns the last bytes of the call, which are its result unless it has failed. Only after the agent has closed the lane. */
    synchronized byte[] result() {
        return tail;
    }
}
