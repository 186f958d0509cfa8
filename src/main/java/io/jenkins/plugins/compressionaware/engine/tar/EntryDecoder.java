package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Makes files from recipes, for {@link TarUnpacker}. Used by one thread. */
@Restricted(NoExternalUse.class)
public interface EntryDecoder {
    /** Accepts no recipes. */
    EntryDecoder NONE = recipe -> {
        throw EntryRejectedException.ofKind();
    };

    /** @throws IOException if this is not a recipe */
    Content decode(InputStream recipe) throws IOException;

    /** A file while it is being made. Reading its last bytes fails with {@link UnfitException} unless it is the file that was sent. */
    abstract class Content extends ChunkedInputStream {
        /** Bytes of the file. */
        public abstract long size();

        /**
         * Copies the whole file, before anything is read, if the file system can do that at no cost.
         *
         * @param target file that {@code out} writes; its content is verified afterwards
         * @return false if the file has to be read instead
         */
        public abstract boolean copyTo(Path target, OutputStream out) throws IOException;
    }
}
