package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.codec.Envelope;
import io.jenkins.plugins.compressionaware.stored.StoredWriter;
import io.jenkins.plugins.compressionaware.tar.Tasks;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** Writes frames into a file on this machine, on the thread that puts them. */
final class StoredFileSink implements FrameSink {
    private final StoredWriter file;
    private final int capacity;
    private final Queue<Future<EncodedFrame>> waiting = new ArrayDeque<>();
    private final Queue<byte[]> spare = new ConcurrentLinkedQueue<>();

    /** @param capacity frames in the making */
    StoredFileSink(StoredWriter file, int capacity) {
        this.file = file;
        this.capacity = capacity;
    }

    @Override
    public void put(Future<EncodedFrame> frame, int rawLength) throws IOException, InterruptedException {
        waiting.add(frame);
        while (waiting.size() > capacity) {
            writeOne();
        }
    }

    private void writeOne() throws IOException, InterruptedException {
        try {
            EncodedFrame frame = Tasks.outcome(waiting.remove());
            file.append(Envelope.startingWith(frame.bytes()[0]).read(frame.bytes()), frame.bytes(), frame.length());
            spare.add(frame.bytes());
        } catch (ExecutionException e) {
            throw new IOException("Cannot compress: " + e.getCause(), e.getCause());
        }
    }

    @Override
    public byte[] array(int length) {
        byte[] used = spare.poll();
        return used != null && used.length >= length ? used : new byte[length];
    }

    /** Writes the remaining frames and the end of the file. */
    void finish() throws IOException, InterruptedException {
        while (!waiting.isEmpty()) {
            writeOne();
        }
        file.finish();
    }
}
