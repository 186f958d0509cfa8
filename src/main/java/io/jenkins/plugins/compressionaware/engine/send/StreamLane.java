package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.run.UninterruptedWrites;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * A lane over an output stream, usually exported over a remoting channel. Frames are collected into arrays of one size, because every remoting write has
 * the same cost. The stream is used by one thread, and its {@code flush} is never called, because that is another command on the channel.
 */
final class StreamLane {
    /**
     * Bytes per write. Larger writes would hold the channel's lock too long for logs and pings. Remoting waits until a tenth of its window of 1 MiB
     * is free and then sends as much as fits, so it never splits a write below 104,857 bytes.
     */
    static final int CHUNK = 100 * 1024;

    /**
     * After a wait this long, a partly filled chunk is written, because an additional write costs little by then. {@code LaneBalance} learns of a wait only
     * with the next write, and until then direct lanes seem to be needed, for example while a packer makes small frames slowly.
     */
    private static final long LONG_WAIT_NANOS = 5_000_000;

    private final OutputStream out;
    private final UninterruptedWrites writes;
    private final Consumer<LaneWrite> listener;
    private final byte[] chunk = new byte[CHUNK];
    private int filled;
    private long creditWaitNanos;
    private long frameWaitNanos;

    StreamLane(OutputStream out, UninterruptedWrites writes, Consumer<LaneWrite> listener) {
        this.out = out;
        this.writes = writes;
        this.listener = listener;
    }

    /**
     * Sends the dispatcher's frames until none is left.
     *
     * @throws IOException if the transfer has failed
     */
    void sendAll(FrameDispatcher dispatcher) throws IOException, InterruptedException {
        FrameDispatcher.Batch taken;
        while ((taken = dispatcher.takeForStream(this::flushRemainder)) != null) {
            creditWaitNanos += taken.creditWaitNanos();
            frameWaitNanos += taken.frameWaitNanos();
            for (EncodedFrame frame : taken.frames()) {
                send(frame);
                frame.recycle();
            }
            if (creditWaitNanos + frameWaitNanos >= LONG_WAIT_NANOS) {
                flushRemainder();
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
    }

    private void flushRemainder() throws IOException {
        if (filled > 0) {
            write(Arrays.copyOf(chunk, filled));
            filled = 0;
        }
    }

    private void write(byte[] bytes) throws IOException {
        long start = System.nanoTime();
        writes.write(out, bytes); // a whole array, because remoting would copy a part of an array
        listener.accept(new LaneWrite(bytes.length, System.nanoTime() - start, creditWaitNanos, frameWaitNanos));
        creditWaitNanos = 0;
        frameWaitNanos = 0;
    }
}
