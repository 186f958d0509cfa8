package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.io.Serializable;
import java.util.EnumSet;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The rule by which a sender chooses codec and level: fixed, or automatic for each block. */
@Restricted(NoExternalUse.class)
public sealed interface CompressionMode extends Serializable {
    /** Returns the codecs that the receiver accepts. */
    EnumSet<Codec> usable();

    /**
     * One codec and level for every block, if the codec is available on the sender's machine.
     *
     * @param usable codecs that the receiver accepts and that may replace an unavailable codec; always includes gzip
     */
    record Fixed(CodecLevel choice, EnumSet<Codec> usable) implements CompressionMode {
        public Fixed(CodecLevel choice) {
            this(choice, EnumSet.allOf(Codec.class));
        }
    }

    /**
     * Codec and level are chosen for each block, from measurements.
     *
     * @param minLevel least effort: 0 uncompressed, 1 lz4 or zstd 1, 2 to 19 a zstd level
     * @param maxLevel most effort, on the same scale
     * @param usable   codecs that the receiver accepts
     */
    record Auto(int minLevel, int maxLevel, EnumSet<Codec> usable) implements CompressionMode {}
}
