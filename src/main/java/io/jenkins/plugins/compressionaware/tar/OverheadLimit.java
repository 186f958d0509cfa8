package io.jenkins.plugins.compressionaware.tar;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Ends a tar stream that spends more bytes around its entries than an honest one does: long names are read into memory whole, and whatever
 * stands in a header costs time.
 */
final class OverheadLimit extends FilterInputStream {
    private final int limit;
    private long left;
    private long leftForAll;
    private IOException failure;

    /**
     * @param limit      bytes around one entry
     * @param totalLimit bytes around all entries together
     */
    OverheadLimit(InputStream in, int limit, long totalLimit) {
        super(in);
        this.limit = limit;
        this.left = limit;
        leftForAll = totalLimit;
    }

    /** Lets {@code bytes} more pass: the content that an entry has announced, whose headers have been read. */
    void allow(long bytes) throws IOException {
        leftForAll -= limit - left;
        if (leftForAll < 0) {
            throw new IOException("Too many bytes around the tar entries");
        }
        left = bytes + limit;
    }

    /** For the next entry, at the end of an entry's content. */
    void startNext() {
        left = limit;
    }

    /** Reads the padding behind the last entry. */
    void drain() throws IOException {
        byte[] padding = new byte[512];
        while (read(padding, 0, padding.length) >= 0) {}
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (left <= 0) {
            throw new IOException("More than " + limit + " bytes around one tar entry");
        }
        int n = readBelow(target, offset, (int) Math.min(length, left));
        if (n > 0) {
            left -= n;
        }
        return n;
    }

    private int readBelow(byte[] target, int offset, int length) throws IOException {
        try {
            return super.read(target, offset, length);
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    /** Thrown by the stream below; null if nothing. */
    IOException failure() {
        return failure;
    }

    @Override
    public long skip(long bytes) throws IOException {
        byte[] skipped = new byte[(int) Math.min(bytes, 8192)];
        return Math.max(0, read(skipped, 0, skipped.length));
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
