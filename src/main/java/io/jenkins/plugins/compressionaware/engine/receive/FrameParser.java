package io.jenkins.plugins.compressionaware.engine.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.tar.SelectedFiles;
import java.io.IOException;

/** Reads the frames of a frame file from its first to its last byte, or those of selected files. Not thread-safe. */
final class FrameParser implements OrderedFrames {
    private final Source source;
    private final FrameAssembler frames;
    private final SelectedFiles selected;
    private int run;

    /** End of the frames so far, and of their run, in the bytes of all runs. */
    private long position;

    private long runEnd;
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

    /** @param selected the files whose frames the source has */
    FrameParser(Source source, int maxBlock, SelectedFiles selected) {
        this.source = source;
        this.selected = selected;
        run = selected.objects().size();
        frames = new FrameAssembler(maxBlock, this::admit);
    }

    // the frames are in order, so each can be consumed before the next one is read
    private boolean admit(FrameHeader header, int length) throws CorruptFrameException {
        if (ended) {
            throw new CorruptFrameException("more data after the end frame");
        }
        if (position == runEnd) {
            next = selected.firstNumber(run);
            runEnd += selected.length(run++);
        }
        if (header.sequence() != next) {
            throw new CorruptFrameException("block " + header.sequence() + " in place of block " + next);
        }
        next++;
        position += length;
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
