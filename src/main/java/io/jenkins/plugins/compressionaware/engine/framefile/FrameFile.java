package io.jenkins.plugins.compressionaware.engine.framefile;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Frames that any thread can read by position. An interrupt breaks off no read and waits for none. */
@Restricted(NoExternalUse.class)
public interface FrameFile extends Closeable {
    /** @throws IOException that names the file and says why it is no stored file, or not whole */
    static FrameFile open(Path file) throws IOException {
        return RegularFrameFile.open(file);
    }

    /** A name for people. */
    String name();

    /** Bytes of all frames together. */
    long wireBytes();

    /** Bytes of all blocks together, that is, of the tar. */
    long rawBytes();

    /** Bytes of the largest possible block. */
    int blockSize();

    /** Whether reading the frames takes more than the JDK. */
    boolean needsLibraries();

    /** The last failure to read them; null if there was none. The sender does not pass it to the other end. */
    @CheckForNull
    IOException failure();

    /** Reads bytes of the frames. */
    void read(long from, byte[] target, int offset, int length) throws IOException;

    /** Reads a sample at a position, which may be shorter than the array if that is far cheaper. Returns the number of bytes, above 0. */
    default int sample(long from, byte[] target) throws IOException {
        int length = (int) Math.min(target.length, wireBytes() - from);
        read(from, target, 0, length);
        return length;
    }

    /** Copies bytes of the frames to {@code out}, at most 128 KiB at a time. */
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
