package io.jenkins.plugins.compressionaware.engine.packed;

import io.jenkins.plugins.compressionaware.engine.framefile.RangeReader;
import java.io.IOException;
import java.io.InputStream;

/** All bytes of an object. Skipping is cheap. Not thread-safe. */
final class ObjectStream extends InputStream {
    private final RangeReader object;
    private long position;

    ObjectStream(RangeReader object) {
        this.object = object;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int n = (int) Math.min(length, object.length() - position);
        if (n == 0) {
            return length == 0 ? 0 : -1;
        }
        object.read(position, target, offset, n);
        position += n;
        return n;
    }

    @Override
    public long skip(long length) {
        long n = Math.max(0, Math.min(length, object.length() - position));
        position += n;
        return n;
    }

    @Override
    public void close() throws IOException {
        object.close();
    }
}
