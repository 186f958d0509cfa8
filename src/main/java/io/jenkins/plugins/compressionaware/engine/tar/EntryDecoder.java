package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Rebuilds files from deltas for {@link TarUnpacker}. Called by one thread. */
@Restricted(NoExternalUse.class)
public interface EntryDecoder {
    /** Rejects every delta. */
    EntryDecoder NONE = delta -> {
        throw EntryRejectedException.unsupportedType();
    };

    /** Opens the file that a delta describes. Fails if the delta is invalid. */
    Content decode(InputStream delta) throws IOException;

    /** The content of a rebuilt file. Reading its last bytes throws {@link ReferenceMismatchException} unless the file equals the one that was sent. */
    abstract class Content extends ChunkedInputStream {
        /** Returns the size of the file in bytes. The stream has exactly as many, or throws an exception. */
        public abstract long size();

        /**
         * Copies the whole file, if the file system can share its blocks with the copy. Must be called before the first read.
         *
         * @param target file that {@code out} writes; its content is verified after the copy
         * @return false if the file must be read instead
         */
        public abstract boolean copyTo(Path target, OutputStream out) throws IOException;
    }
}
