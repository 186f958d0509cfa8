package io.jenkins.plugins.compressionaware.engine.adaptive;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.io.Serializable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A codec and level for a block.
 *
 * @param level level of the codec; 0 for a codec without levels
 */
@Restricted(NoExternalUse.class)
public record CodecLevel(Codec codec, int level) implements Serializable {
    private static final long serialVersionUID = 1;

    /** No compression. */
    public static final CodecLevel UNCOMPRESSED = new CodecLevel(Codec.NONE, 0);

    /** The codec without levels that compresses fastest. */
    public static final CodecLevel LZ4 = new CodecLevel(Codec.LZ4, 0);

    public CodecLevel {
        if (codec.hasLevels() ? !codec.acceptsLevel(level) : level != 0) {
            throw new IllegalArgumentException("Level " + level + " is not one of " + codec.symbol());
        }
    }

    /** Zstandard at a level of 1 to 19. */
    public static CodecLevel zstd(int level) {
        return new CodecLevel(Codec.ZSTD, level);
    }

    // written out, like hashCode: a record's generated methods cost a fresh agent's JVM 30 ms on their first call
    @Override
    public boolean equals(Object other) {
        return other instanceof CodecLevel choice && choice.codec == codec && choice.level == level;
    }

    @Override
    public int hashCode() {
        return 31 * codec.hashCode() + level;
    }

    /** The form used in the summary: {@code stored}, {@code lz4}, {@code zstd 3}. */
    @Override
    public String toString() {
        if (codec == Codec.NONE) {
            return "stored";
        }
        return codec.hasLevels() ? codec.symbol() + " " + level : codec.symbol();
    }
}
