package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.codec.FrameEnvelope;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** Writes frames in their order, on the thread that puts them. Not thread-safe. */
abstract class InOrderSink implements FrameSink {
    private final int capacity;
    private final Queue<Future<EncodedFrame>> waiting = new ArrayDeque<>();

    /** @param capacity maximum number of unfinished frames */
    InOrderSink(int capacity) {
        this.capacity = capacity;
    }

    /**
     * Writes the next frame.
     *
     * @param frame starts with the whole frame, including its header
     */
    abstract void append(FrameHeader header, byte[] frame, int length) throws IOException, InterruptedException;

    @Override
    public final void put(Future<EncodedFrame> frame, int rawLength) throws IOException, InterruptedException {
        waiting.add(frame);
        drain(capacity);
    }

    /** Writes the remaining frames. */
    final void drain() throws IOException, InterruptedException {
        drain(0);
    }

    private void drain(int left) throws IOException, InterruptedException {
        while (waiting.size() > left) {
            try {
                EncodedFrame frame = Tasks.awaitOrRun(waiting.remove());
                FrameHeader header =
                        FrameEnvelope.forFirstByte(frame.bytes()[0]).read(frame.bytes());
                append(header, frame.bytes(), frame.length());
                frame.recycle();
            } catch (ExecutionException e) {
                throw new IOException("Cannot compress: " + e.getCause(), e.getCause());
            }
        }
    }
}
