package io.jenkins.plugins.compressionaware.engine.receive;

import java.io.IOException;

/** Reads the ranges of a download in order. Used by one thread. */
final class RangeReader implements FrameParser.Source {
    private final DownloadBuffer buffer;
    private final FileRanges file;

    /** Number of the next range. */
    private long next;

    /** The range that is being read; null if none is. */
    private byte[] current;

    private int length;
    private int read;

    RangeReader(DownloadBuffer buffer, FileRanges file) {
        this.buffer = buffer;
        this.file = file;
    }

    /** Reads bytes of the next range, and releases its heap after its last byte. */
    @Override
    public int read(byte[] target, int offset, int most, boolean mayWait) throws IOException, InterruptedException {
        if (current == null) {
            current = buffer.take(mayWait);
            if (current == null) {
                return 0;
            }
            read = 0;
            length = file.length(next++);
        }
        int n = Math.min(most, length - read);
        System.arraycopy(current, read, target, offset, n);
        read += n;
        if (read == length) {
            buffer.release(current);
            current = null;
        }
        return n;
    }
}
