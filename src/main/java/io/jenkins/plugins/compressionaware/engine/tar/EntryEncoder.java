package io.jenkins.plugins.compressionaware.engine.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Creates deltas, which {@link TarPacker} sends in place of files; formats.md describes their bytes. Called by one thread. */
@Restricted(NoExternalUse.class)
public interface EntryEncoder {
    EntryEncoder NONE = (path, size, parts) -> false;

    /**
     * Encodes a file as a delta, and adds its parts to {@code parts}.
     *
     * @param size bytes of the file when its attributes were read
     * @return false, without any part, if the file itself must be sent
     * @throws IOException if the file cannot be read or {@code parts} fails
     */
    boolean encode(Path path, long size, Parts parts) throws IOException;

    /**
     * Stores a large file elsewhere.
     *
     * @param in   reads the file from its start
     * @param size of the open file, bytes
     * @return what a link in place of the file names; null, without a read, if the file must be sent
     */
    @CheckForNull
    default String store(String name, Path path, InputStream in, long size) throws IOException {
        return null;
    }

    interface Parts {
        /** Adds a part, which must be written before this method returns. */
        void add(Part part) throws IOException;
    }

    interface Part {
        boolean isFirst();

        boolean isLast();

        /** Returns the number of bytes that {@link #writeTo} writes. */
        long length();

        /**
         * Writes this part, and advances to the next one.
         *
         * @throws IOException if the file cannot be read or has shrunk
         */
        void writeTo(OutputStream target) throws IOException;
    }
}
