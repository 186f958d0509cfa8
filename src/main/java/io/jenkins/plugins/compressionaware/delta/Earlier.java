package io.jenkins.plugins.compressionaware.delta;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** An earlier archive of which a transfer may use pieces. Used by one thread. */
@Restricted(NoExternalUse.class)
public interface Earlier {
    /**
     * The file that a recipe makes.
     *
     * @throws IOException if the recipe is none
     */
    Rebuilt rebuild(InputStream recipe) throws IOException;

    /** A file as it is made: reading the last bytes fails with {@link UnfitException} unless all of it has the hash that the recipe names. */
    abstract class Rebuilt extends InputStream {
        /** Bytes of the file. */
        public abstract long size();

        /**
         * Copies it as a whole, before anything is read, where all of it is one file of the earlier build: the two share blocks of the disk if the file system
         * can do that.
         *
         * @param target where {@code out} leads; what is there then is what has the hash
         * @return false if it is to be read
         */
        public abstract boolean copyTo(Path target, OutputStream out) throws IOException;

        @Override
        public final int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public abstract int read(byte[] target, int offset, int length) throws IOException;
    }
}
