package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import java.io.Serializable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The rule by which a sender chooses codec and level: fixed, or automatic for each block. */
@Restricted(NoExternalUse.class)
public sealed interface CompressionMode extends Serializable {
    /** Returns whether blocks may be compressed with zstd. */
    boolean zstd();

    /** Returns whether blocks may be compressed with lz4; with {@code auto}, they are only where zstd is not used. */
    boolean lz4();

    /** One codec and level for every block, if the codec is available on both ends. */
    record Fixed(CodecLevel choice) implements CompressionMode {
        @Override
        public boolean zstd() {
            return choice.codec() == Codec.ZSTD;
        }

        @Override
        public boolean lz4() {
            return choice.codec() == Codec.LZ4;
        }

        /** Returns the choice if its codec works in this JVM, otherwise gzip. */
        public CodecLevel available() {
            CodecLibrary library = choice.codec().library();
            return library != null && library.problem() != null ? CodecLevel.GZIP : choice;
        }
    }

    /**
     * Codec and level are chosen for each block, from measurements.
     *
     * @param minLevel least effort: 0 uncompressed, 1 to 19 a zstd level
     * @param maxLevel most effort, on the same scale
     * @param zstd     whether the receiver can decode zstd; otherwise lz4 and gzip are used
     * @param lz4      whether lz4 may be used; false for a stash
     */
    record Auto(int minLevel, int maxLevel, boolean zstd, boolean lz4) implements CompressionMode {
        public Auto(int minLevel, int maxLevel, boolean zstd) {
            this(minLevel, maxLevel, zstd, true);
        }
    }
}
