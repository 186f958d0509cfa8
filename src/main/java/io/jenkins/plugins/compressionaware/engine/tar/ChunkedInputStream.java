package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.IOException;
import java.io.InputStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** An input stream whose subclasses implement bulk reads only. */
@Restricted(NoExternalUse.class)
public abstract class ChunkedInputStream extends InputStream {
    @Override
    public final int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public abstract int read(byte[] target, int offset, int length) throws IOException;
}
