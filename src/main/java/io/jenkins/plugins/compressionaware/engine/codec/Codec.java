package io.jenkins.plugins.compressionaware.engine.codec;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.util.Locale;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The codecs that can compress a block. Frames contain {@link #id}, never the ordinal. Only the factory methods name encoder and decoder
 * classes, so an agent loads a codec library only when a transfer uses it.
 */
@Restricted(NoExternalUse.class)
public enum Codec {
    /** No compression: the body is a zstd frame of raw blocks. Requires only the JDK. */
    NONE(0, 0, 0, FrameEnvelope.SKIPPABLE_FRAME),

    /** Deflate in gzip members, at levels 1 to 9 of zlib; Jenkins core uses 6. Requires only the JDK. */
    GZIP(1, 6, 9, FrameEnvelope.GZIP_EXTRA_FIELD),

    /** LZ4 frames. Faster than gzip even without native code; compresses less. Requires lz4-java. */
    LZ4(2, 0, 0, FrameEnvelope.SKIPPABLE_FRAME),

    /** Zstandard frames, at levels 1 to 19; above 3 it is slower than most networks. Requires the native library of zstd-jni. */
    ZSTD(3, 3, 19, FrameEnvelope.SKIPPABLE_FRAME);

    private final byte id;
    private final int defaultLevel;
    private final int maxLevel;
    private final FrameEnvelope envelope;

    /** @param maxLevel highest level; this and {@code defaultLevel} are 0 for a codec without levels */
    Codec(int id, int defaultLevel, int maxLevel, FrameEnvelope envelope) {
        this.id = (byte) id;
        this.defaultLevel = defaultLevel;
        this.maxLevel = maxLevel;
        this.envelope = envelope;
    }

    /**
     * Returns a new encoder for use by one thread at a time.
     *
     * @param level one that {@link #acceptsLevel} accepts
     */
    public BlockEncoder newEncoder(int level) {
        return switch (this) {
            case NONE -> new UncompressedCodec();
            case GZIP -> new GzipEncoder(level);
            case LZ4 -> new Lz4Encoder();
            case ZSTD -> new ZstdEncoder(level);
        };
    }

    /** Returns a new decoder for use by one thread at a time. */
    public BlockDecoder newDecoder() {
        return switch (this) {
            case NONE -> new UncompressedCodec();
            case GZIP -> new GzipDecoder();
            case LZ4 -> new Lz4Decoder();
            case ZSTD -> new ZstdDecoder();
        };
    }

    /** Returns the name in settings, logs and documentation: {@code none}, {@code gzip}, {@code lz4} or {@code zstd}. */
    public String symbol() {
        return name().toLowerCase(Locale.ROOT);
    }

    public byte id() {
        return id;
    }

    /** Returns the envelope of this codec's frames. */
    public FrameEnvelope envelope() {
        return envelope;
    }

    /** Returns the library that the codec requires; null if it requires only the JDK. */
    @CheckForNull
    public CodecLibrary library() {
        return this == ZSTD ? CodecLibrary.ZSTD : this == LZ4 ? CodecLibrary.LZ4 : null;
    }

    public boolean needsLibrary() {
        return library() != null;
    }

    public boolean hasLevels() {
        return maxLevel > 0;
    }

    public int minLevel() {
        return Math.min(1, maxLevel);
    }

    public int defaultLevel() {
        return defaultLevel;
    }

    public int maxLevel() {
        return maxLevel;
    }

    /** Returns whether this codec has the level; a codec without levels has only 0. */
    public boolean acceptsLevel(int level) {
        return level >= minLevel() && level <= maxLevel;
    }

    public static Codec ofId(byte id) throws CorruptFrameException {
        for (Codec codec : values()) {
            if (codec.id == id) {
                return codec;
            }
        }
        throw new CorruptFrameException("unknown codec id " + id);
    }
}
