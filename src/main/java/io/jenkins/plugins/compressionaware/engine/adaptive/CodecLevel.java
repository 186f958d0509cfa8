package io.jenkins.plugins.compressionaware.engine.adaptive;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.io.Serializable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A codec and its level.
 *
 * @param level 0 for a codec without levels
 */
@Restricted(NoExternalUse.class)
public record CodecLevel(Codec codec, int level) implements Serializable {
    private static final long serialVersionUID = 1;

    public static final CodecLevel UNCOMPRESSED = new CodecLevel(Codec.NONE, 0);

    /** Replaces zstd where its library does not load. */
    public static final CodecLevel GZIP = new CodecLevel(Codec.GZIP, Codec.GZIP.defaultLevel());

    public CodecLevel {
        if (!codec.acceptsLevel(level)) {
            throw new IllegalArgumentException("Level " + level + " is not one of " + codec.symbol());
        }
    }

    /** Returns Zstandard at a level of 1 to 19. */
    public static CodecLevel zstd(int level) {
        return new CodecLevel(Codec.ZSTD, level);
    }

    // hand-written, like hashCode: a fresh agent's JVM takes 30 ms for the first call of a record's generated methods
    @Override
    public boolean equals(Object other) {
        return other instanceof CodecLevel choice && choice.codec == codec && choice.level == level;
    }

    @Override
    public int hashCode() {
        return 31 * codec.hashCode() + level;
    }

    /** Returns the form used in summaries: {@code none}, {@code zstd 3}. */
    @Override
    public String toString() {
        return codec.hasLevels() ? codec.symbol() + " " + level : codec.symbol();
    }
}
