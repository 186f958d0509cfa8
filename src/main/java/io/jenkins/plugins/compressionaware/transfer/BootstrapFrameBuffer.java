package io.jenkins.plugins.compressionaware.transfer;

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

/** Frames of a first call in pieces, and then its answer. Remoting's threads write, and never wait; one thread reads. */
final class BootstrapFrameBuffer extends OutputStream {
    private static final byte[] END = {};

    private final BlockingQueue<byte[]> pieces = new LinkedBlockingQueue<>();
    private long remainingHeap;
    private boolean closed;
    private byte[] trailer = {};

    /** @param room that all pieces together may take up, bytes of heap */
    BootstrapFrameBuffer(long room) {
        this.remainingHeap = room;
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
            pieces.add(Arrays.copyOfRange(bytes, offset, offset + length));
        }
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            pieces.add(END);
        }
    }

    /**
     * The next frames, or a part of them. Waits for them.
     *
     * @param sender asked now and then whether anything can still come
     * @return null after the last
     */
    @CheckForNull
    byte[] nextFrames(SenderLiveness sender) throws IOException, InterruptedException {
        byte[] piece = pieces.poll();
        while (piece == null) {
            sender.checkAlive();
            piece = pieces.poll(1, TimeUnit.SECONDS);
        }
        if (piece == END) {
            return null;
        }
        byte[] known = Arrays.copyOf(trailer, trailer.length + piece.length);
        System.arraycopy(piece, 0, known, trailer.length, piece.length);
        int frames = Math.max(0, known.length - BootstrapArchiveCallable.RESULT_LENGTH);
        trailer = Arrays.copyOfRange(known, frames, known.length);
        return Arrays.copyOf(known, frames);
    }

    /** The last bytes, up to {@link BootstrapArchiveCallable#RESULT_LENGTH}, which are no frames. Once {@link #nextFrames} has returned null. */
    byte[] trailer() {
        return trailer;
    }
}
