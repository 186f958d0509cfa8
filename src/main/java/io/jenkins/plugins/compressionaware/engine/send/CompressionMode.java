package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.io.Serializable;
import java.util.EnumSet;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The rule for codec and level. */
@Restricted(NoExternalUse.class)
public sealed interface CompressionMode extends Serializable {
    /** Codecs that the receiver takes. */
    EnumSet<Codec> usable();

    /**
     * One codec and level for every block, if the codec works on the sender's machine.
     *
     * @param usable codecs that the receiver takes, which may replace one that does not work; gzip is always among them
     */
    record Fixed(CodecLevel choice, EnumSet<Codec> usable) implements CompressionMode {
        public Fixed(CodecLevel choice) {
            this(choice, EnumSet.allOf(Codec.class));
        }
    }

    /**
     * Chosen for each block from observations.
     *
     * @param minLevel least effort: 0 stored, 1 lz4 or zstd 1, 2 to 19 a zstd level
     * @param maxLevel most effort, on the same scale
     * @param usable   codecs that the receiver takes
     */
    record Auto(int minLevel, int maxLevel, EnumSet<Codec> usable) implements CompressionMode {}
}
