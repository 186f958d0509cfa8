package io.jenkins.plugins.compressionaware.stored;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Frames that can be read by position, by any thread. It may be interrupted: that breaks off no read, and waits for none. */
@Restricted(NoExternalUse.class)
public interface StoredFrames extends Closeable {
    /** @throws IOException naming the file, and why it is none of frames or not whole */
    static StoredFrames open(Path file) throws IOException {
        return FrameFile.open(file);
    }

    /** For people. */
    String name();

    /** Bytes of all frames together. */
    long wireBytes();

    /** Bytes of all blocks together: those of the tar. */
    long rawBytes();

    /** Bytes of the largest block that there may be. */
    int blockSize();

    /** Whether whoever reads the frames needs more than the JDK. */
    boolean needsLibraries();

    /** Why they could not be read last; null if they could. Who sends them tells the other end nothing of it. */
    @CheckForNull
    IOException failure();

    /** Reads bytes of the frames. */
    void read(long from, byte[] target, int offset, int length) throws IOException;

    /** Writes bytes of the frames, some at a time. */
    default void write(long from, int length, OutputStream out) throws IOException {
        byte[] some = new byte[Math.min(length, 128 * 1024)];
        for (int done = 0; done < length; ) {
            int n = Math.min(some.length, length - done);
            read(from + done, some, 0, n);
            out.write(some, 0, n);
            done += n;
        }
    }
}
