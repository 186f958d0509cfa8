package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.IOException;
import java.io.OutputStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Receives tar bytes, and is notified where entries begin so that it can keep dissimilar files apart. */
@Restricted(NoExternalUse.class)
public abstract class TarSink extends OutputStream {
    /**
     * Starts an entry. The bytes that follow belong to it.
     *
     * @param size bytes of content; 0 for folders and links
     */
    public abstract void startEntry(String name, long size) throws IOException;

    @Override
    public final void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }
}
