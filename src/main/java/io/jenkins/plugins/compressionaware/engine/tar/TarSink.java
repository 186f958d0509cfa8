package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.IOException;
import java.io.OutputStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Takes tar bytes, and is told where entries begin so that it can keep unlike files apart. */
@Restricted(NoExternalUse.class)
public abstract class TarSink extends OutputStream {
    /**
     * The bytes that follow belong to another entry.
     *
     * @param size bytes of content; 0 for directories and links
     */
    public abstract void startEntry(String name, long size) throws IOException;

    @Override
    public final void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }
}
