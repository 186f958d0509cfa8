package io.jenkins.plugins.compressionaware.engine.receive;

import edu.umd.cs.findbugs.annotations.Nullable;
import io.jenkins.plugins.compressionaware.engine.codec.FrameEnvelope;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import java.io.IOException;

/**
 * Assembles frames from the bytes of a stream, a request or a file. The caller puts bytes into {@link #target}, or skips them if there is none, and then calls
 * {@link #advance}. Not thread-safe.
 */
final class FrameAssembler {
    private final byte[] prefix = new byte[FrameEnvelope.GZIP_EXTRA_FIELD.prefixLength()];
    private final int maxBlock;
    private final Admission admission;
    private FrameHeader header;

    /** The frame that is being assembled; null while its prefix is read, or while it is skipped. */
    private byte[] frame;

    /** Array of a consumed frame, for reuse; null if there is none. */
    private byte[] spare;

    private int filled;
    private int wanted = FrameEnvelope.SKIPPABLE_FRAME.prefixLength();

    /** Decides about a frame when its header has arrived, before memory is allocated for it. */
    @FunctionalInterface
    interface Admission {
        /**
         * Returns whether to assemble the frame; false to skip it.
         *
         * @param length of the whole frame, bytes
         */
        boolean admit(FrameHeader header, int length) throws IOException;
    }

    /** @param maxBlock length of the largest block to accept, bytes */
    FrameAssembler(int maxBlock, Admission admission) {
        this.maxBlock = maxBlock;
        this.admission = admission;
    }

    /** Returns the array for the next bytes; null if they are skipped. */
    @Nullable
    byte[] target() {
        return header == null ? prefix : frame;
    }

    /** Returns the position of the next byte in {@link #target}. */
    int position() {
        return filled;
    }

    /** Returns the number of bytes that {@link #advance} accepts next, at least 1. */
    int wanted() {
        return wanted - filled;
    }

    /** Returns whether the next byte begins a frame. */
    boolean isBetweenFrames() {
        return header == null && filled == 0;
    }

    /**
     * Accounts for bytes in {@link #target}, at most {@link #wanted}.
     *
     * @return whether they complete a frame, see {@link #take}
     */
    boolean advance(int length) throws IOException {
        filled += length;
        if (filled == wanted && header == null) {
            readPrefix();
        }
        return header != null && filled == wanted;
    }

    private void readPrefix() throws IOException {
        FrameEnvelope envelope = FrameEnvelope.forFirstByte(prefix[0]);
        wanted = envelope.prefixLength();
        if (filled < wanted) {
            return;
        }
        FrameHeader arrived = envelope.read(prefix);
        arrived.checkLimits(maxBlock);
        int length = filled + arrived.bodyLength();
        frame = admission.admit(arrived, length) ? array(length) : null;
        header = arrived;
        wanted = length;
    }

    private byte[] array(int length) {
        byte[] array = spare != null && spare.length == length ? spare : new byte[length];
        spare = null;
        System.arraycopy(prefix, 0, array, 0, filled);
        return array;
    }

    /** Removes and returns the complete frame; null if it was skipped. */
    @Nullable
    ReceivedFrame take() {
        ReceivedFrame complete = frame == null ? null : new ReceivedFrame(header, frame);
        header = null;
        frame = null;
        filled = 0;
        wanted = FrameEnvelope.SKIPPABLE_FRAME.prefixLength();
        return complete;
    }

    /** Accepts the array of a consumed frame for reuse, because the next frame usually has the same length. */
    void recycle(byte[] consumed) {
        spare = consumed;
    }

    /** Releases the incomplete frame. */
    void clear() {
        frame = null;
    }
}
