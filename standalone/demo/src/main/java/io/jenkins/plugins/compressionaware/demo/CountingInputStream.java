package io.jenkins.plugins.compressionaware.demo;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Counts what is read. To close it leaves the counted stream open. */
final class CountingInputStream extends FilterInputStream {
    private long count;

    CountingInputStream(InputStream in) {
        super(in);
    }

    @Override
    public int read() throws IOException {
        int b = super.read();
        count += b < 0 ? 0 : 1;
        return b;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int n = super.read(target, offset, length);
        count += Math.max(n, 0);
        return n;
    }

    @Override
    public long skip(long wanted) throws IOException {
        long n = super.skip(wanted);
        count += n;
        return n;
    }

    @Override
    public void close() {
        // whoever opened the counted stream closes it
    }

    long count() {
        return count;
    }
}
