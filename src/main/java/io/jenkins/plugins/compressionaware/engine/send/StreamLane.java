package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.flow.UninterruptedWrites;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * A lane over an output stream, such as one exported over a remoting channel. Frames are cut into arrays of one size and each is written
 * whole: remoting copies an array that is not sent whole, and every write costs the same, however small. The stream is never flushed, since
 * a flush is a command of its own on the channel. Used by one thread.
 */
final class StreamLane {
    /**
     * Bytes per write. Larger ones hold the channel's lock too long for logs and pings. Remoting waits until a tenth of its window of 1 MiB
     * is free and then sends what fits, so anything below 104,857 bytes is never split.
     */
    static final int CHUNK = 100 * 1024;

    private final OutputStream out;
    private final UninterruptedWrites writes;
    private final boolean onlyLane;
    private final Consumer<LaneWrite> listener;
    private final byte[] chunk = new byte[CHUNK];
    private int filled;
    private long held;
    private long starved;

    /**
     * @param alone whether it is the only lane; else each frame is sent at once, since the other lanes' frames wait for it at the receiver
     */
    StreamLane(OutputStream out, UninterruptedWrites writes, boolean alone, Consumer<LaneWrite> listener) {
        this.out = out;
        this.writes = writes;
        this.onlyLane = alone;
        this.listener = listener;
    }

    /**
     * Sends the frames that the source has for streams, until there are no more.
     *
     * @throws IOException if the transfer cannot go on
     */
    void sendAll(FrameDispatcher source) throws IOException, InterruptedException {
        FrameDispatcher.Batch taken;
        while ((taken = source.takeForStream(this::flushRemainder)) != null) {
            held += taken.heldNanos();
            starved += taken.starvedNanos();
            for (EncodedFrame frame : taken.frames()) {
                send(frame);
                source.recycle(frame);
            }
        }
        flushRemainder();
    }

    private void send(EncodedFrame frame) throws IOException {
        int done = 0;
        while (done < frame.length()) {
            int n = Math.min(frame.length() - done, CHUNK - filled);
            System.arraycopy(frame.bytes(), done, chunk, filled, n);
            filled += n;
            done += n;
            if (filled == CHUNK) {
                write(chunk);
                filled = 0;
            }
        }
        if (!onlyLane) {
            flushRemainder();
        }
    }

    private void flushRemainder() throws IOException {
        if (filled > 0) {
            write(Arrays.copyOf(chunk, filled));
            filled = 0;
        }
    }

    private void write(byte[] bytes) throws IOException {
        long start = System.nanoTime();
        writes.write(out, bytes);
        listener.accept(new LaneWrite(bytes.length, System.nanoTime() - start, held, starved));
        held = 0;
        starved = 0;
    }
}
