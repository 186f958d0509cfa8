package io.jenkins.plugins.compressionaware.engine.framefile;

import io.jenkins.plugins.compressionaware.engine.tar.ChunkedInputStream;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** All bytes of a file or object, which it closes. Skipping is cheap. Not thread-safe. */
@Restricted(NoExternalUse.class)
public final class RangeStream extends ChunkedInputStream {
    private final RangeReader file;
    private long position;

    public RangeStream(RangeReader file) {
        this.file = file;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int n = (int) Math.min(length, file.length() - position);
        if (n == 0) {
            return length == 0 ? 0 : -1;
        }
        file.read(position, target, offset, n);
        position += n;
        return n;
    }

    @Override
    public long skip(long length) {
        long n = Math.max(0, Math.min(length, file.length() - position));
        position += n;
        return n;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
