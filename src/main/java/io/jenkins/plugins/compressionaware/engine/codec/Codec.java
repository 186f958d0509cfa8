package io.jenkins.plugins.compressionaware.engine.codec;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.util.Arrays;
import java.util.Locale;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The codecs a block can travel in. The ordinal is never stored or sent; {@link #id} is.
 *
 * <p>Encoder and decoder classes are named only inside the factory methods, so that an agent loads a codec library
 * only when a transfer uses it.
 */
@Restricted(NoExternalUse.class)
public enum Codec {
    /** No compression: the block travels as the raw blocks of a zstd frame. Needs the JDK alone. */
    NONE(0, 0, 0, 0, FrameEnvelope.SKIPPABLE_FRAME, true, null),

    /** Deflate in gzip members. Needs the JDK alone. Levels 1 to 9 as in zlib; 6 is what Jenkins core uses. */
    GZIP(1, 1, 6, 9, FrameEnvelope.GZIP_EXTRA_FIELD, true, null),

    /** LZ4 frames. Works without native code, a few times slower. */
    LZ4(2, 0, 0, 0, FrameEnvelope.SKIPPABLE_FRAME, false, Lz4Codec.NATIVE_CODE),

    /** Zstandard frames. Needs the native library of zstd-jni. Levels 1 to 19; above 3 it is slower than most networks. */
    ZSTD(3, 1, 3, 19, FrameEnvelope.SKIPPABLE_FRAME, true, ZstdEncoder.NATIVE_CODE);

    private final byte id;
    private final int minLevel;
    private final int defaultLevel;
    private final int maxLevel;
    private final FrameEnvelope envelope;
    private final boolean forStashes;
    private final String nativeCode;

    /**
     * @param minLevel   0 without levels, as are the next two
     * @param forStashes whether {@code zstd -d} decodes its frames, so that a stash may have them
     * @param nativeCode see {@link #nativeCode()}
     */
    Codec(
            int id,
            int minLevel,
            int defaultLevel,
            int maxLevel,
            FrameEnvelope envelope,
            boolean forStashes,
            @CheckForNull String nativeCode) {
        this.id = (byte) id;
        this.minLevel = minLevel;
        this.defaultLevel = defaultLevel;
        this.maxLevel = maxLevel;
        this.envelope = envelope;
        this.forStashes = forStashes;
        this.nativeCode = nativeCode;
    }

    /**
     * A new encoder for one thread at a time.
     *
     * @param level one that {@link #acceptsLevel} accepts; ignored by codecs without levels
     */
    public BlockEncoder newEncoder(int level) {
        return switch (this) {
            case NONE -> new UncompressedCodec();
            case GZIP -> new GzipEncoder(level);
            case LZ4 -> new Lz4Codec();
            case ZSTD -> new ZstdEncoder(level);
        };
    }

    /** A new decoder for one thread at a time. */
    public BlockDecoder newDecoder() {
        return switch (this) {
            case NONE -> new UncompressedCodec();
            case GZIP -> new GzipDecoder();
            case LZ4 -> new Lz4Codec();
            case ZSTD -> new ZstdDecoder();
        };
    }

    /** The name in settings, logs and documentation: {@code none}, {@code gzip}, {@code lz4}, {@code zstd}. */
    public String symbol() {
        return name().toLowerCase(Locale.ROOT);
    }

    byte id() {
        return id;
    }

    /** How this codec's frames carry their header. */
    public FrameEnvelope envelope() {
        return envelope;
    }

    /** Whether the JDK lacks the codec. */
    public boolean needsLibrary() {
        return nativeCode != null;
    }

    /**
     * The resource with the native code of the codec's library, without an extension; null if the codec needs the JDK alone. {@code {win}} stands for a
     * platform such as {@code win/amd64}, {@code {windows}} for {@code windows/amd64}.
     */
    @CheckForNull
    public String nativeCode() {
        return nativeCode;
    }

    /** Whether a stash may have frames of this codec. */
    public boolean isForStashes() {
        return forStashes;
    }

    /** Whether the codec has levels to choose from. */
    public boolean hasLevels() {
        return maxLevel > 0;
    }

    /** The lowest level, or 0 for a codec without levels. */
    public int minLevel() {
        return minLevel;
    }

    /** The level used when none is chosen, or 0 for a codec without levels. */
    public int defaultLevel() {
        return defaultLevel;
    }

    /** The highest level, or 0 for a codec without levels. */
    public int maxLevel() {
        return maxLevel;
    }

    /** The highest level of all codecs. */
    public static int highestLevel() {
        return Arrays.stream(values()).mapToInt(Codec::maxLevel).max().orElseThrow();
    }

    /** Whether {@code level} is one of this codec's levels. Codecs without levels accept any number and ignore it. */
    public boolean acceptsLevel(int level) {
        return !hasLevels() || level >= minLevel && level <= maxLevel;
    }

    static Codec ofId(byte id) throws CorruptFrameException {
        for (Codec codec : values()) {
            if (codec.id == id) {
                return codec;
            }
        }
        throw new CorruptFrameException("unknown codec id " + id);
    }
}
