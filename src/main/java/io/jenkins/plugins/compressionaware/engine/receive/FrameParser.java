package io.jenkins.plugins.compressionaware.engine.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import java.io.IOException;

/** Reads the frames of a frame file from its first to its last byte. Not thread-safe. */
final class FrameParser implements OrderedFrames {
    private final Source source;
    private final FrameAssembler frames;
    private long next;
    private boolean ended;
    private long waitingNanos;

    @FunctionalInterface
    interface Source {
        /**
         * Reads some of the next bytes.
         *
         * @param mayWait whether to wait for bytes
         * @return the number of bytes; 0 if there are none now or, with {@code mayWait}, at all
         */
        int read(byte[] target, int offset, int length, boolean mayWait) throws IOException, InterruptedException;
    }

    FrameParser(Source source, int maxBlock) {
        this.source = source;
        frames = new FrameAssembler(maxBlock, this::admit);
    }

    // a file has all frames in order, so each can be consumed before the next one is read
    private boolean admit(FrameHeader header, int length) throws CorruptFrameException {
        if (ended) {
            throw new CorruptFrameException("more data after the end frame");
        }
        if (header.sequence() != next) {
            throw new CorruptFrameException("block " + header.sequence() + " in place of block " + next);
        }
        next++;
        ended = header.isEndFrame();
        return true;
    }

    @Override
    @CheckForNull
    public ReceivedFrame next(boolean mayWait) throws IOException, InterruptedException {
        long start = System.nanoTime();
        boolean complete = false;
        try {
            for (int n = 1; n > 0 && !complete; ) {
                n = source.read(frames.target(), frames.position(), frames.wanted(), mayWait);
                complete = frames.advance(n);
            }
        } catch (CorruptFrameException e) {
            throw new IOException("Damaged transfer: " + e.getMessage(), e);
        }
        waitingNanos += mayWait ? System.nanoTime() - start : 0;
        return complete ? frames.take() : null;
    }

    @Override
    public void release(ReceivedFrame frame) {
        frames.recycle(frame.bytes());
    }

    /** Returns the time spent waiting for frames, nanoseconds. */
    long waitingNanos() {
        return waitingNanos;
    }
}
