package io.jenkins.plugins.compressionaware.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.receive.SenderLiveness;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Buffers the frames of a bootstrap call and its result until the receiver reads them. Remoting's threads write and never block; one thread reads. */
final class BootstrapFrameBuffer extends OutputStream {
    private static final byte[] END = {};

    private final BlockingQueue<byte[]> writes = new LinkedBlockingQueue<>();

    @GuardedBy("this")
    private long remainingHeap;

    @GuardedBy("this")
    private boolean closed;

    private byte[] trailer = {};

    /** @param heap maximum heap of all buffered writes, bytes */
    BootstrapFrameBuffer(long heap) {
        this.remainingHeap = heap;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b});
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        remainingHeap -= Credit.heapCost(length);
        if (closed || remainingHeap < 0) {
            close();
            throw new IOException("No more bytes are accepted");
        }
        if (length > 0) {
            writes.add(Arrays.copyOfRange(bytes, offset, offset + length));
        }
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            writes.add(END);
        }
    }

    /**
     * Waits for the next frames, or parts of frames, and returns them.
     *
     * @param sender checked every second while nothing arrives
     * @return null after the last frame
     */
    @CheckForNull
    byte[] nextFrames(SenderLiveness sender) throws IOException, InterruptedException {
        byte[] write = writes.poll();
        while (write == null) {
            sender.checkAlive();
            write = writes.poll(1, TimeUnit.SECONDS);
        }
        if (write == END) {
            return null;
        }
        byte[] bytes = Arrays.copyOf(trailer, trailer.length + write.length);
        System.arraycopy(write, 0, bytes, trailer.length, write.length);
        int frames = Math.max(0, bytes.length - BootstrapArchiveCallable.RESULT_LENGTH);
        trailer = Arrays.copyOfRange(bytes, frames, bytes.length);
        return Arrays.copyOf(bytes, frames);
    }

    /** Returns the last bytes of the call, which hold its result. Only after {@link #nextFrames} has returned null. */
    byte[] trailer() {
        return trailer;
    }
}
