package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Makes recipes, which {@link TarPacker} sends in place of files; see formats.md. Used by one thread. */
@Restricted(NoExternalUse.class)
public interface EntryEncoder {
    /** Makes no recipes. */
    EntryEncoder NONE = (path, size, parts) -> false;

    /**
     * Makes a recipe to send in place of a file.
     *
     * @param size bytes of the file when its attributes were read
     * @return false, without any part, if the file itself is to be sent
     * @throws IOException if the file cannot be read, or thrown by {@code parts}
     */
    boolean encode(Path path, long size, Parts parts) throws IOException;

    /** Receives a recipe, part by part. */
    interface Parts {
        /** @param part must be written before this returns */
        void add(Part part) throws IOException;
    }

    /** A part of a recipe. */
    interface Part {
        boolean isFirst();

        boolean isLast();

        /** Bytes that {@link #writeTo} writes. */
        long length();

        /**
         * Writes this part and begins the next.
         *
         * @throws IOException if the file cannot be read, or has become shorter
         */
        void writeTo(OutputStream target) throws IOException;
    }
}
