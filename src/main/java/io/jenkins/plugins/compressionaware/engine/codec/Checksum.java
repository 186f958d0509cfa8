package io.jenkins.plugins.compressionaware.engine.codec;

import java.util.zip.CRC32C;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Checksum of a block, which detects damage in transit. Receivers accept every constant, and a frame header always has its own CRC-32C.
 * Frames contain {@link #id}, never the ordinal.
 */
@Restricted(NoExternalUse.class)
public enum Checksum {
    /** xxHash64 with seed 0. Requires lz4-java, and uses its native code if that loads. */
    XXH64(1),

    /** CRC-32C in the lower half of the eight bytes. Requires only the JDK, which has an intrinsic for it on x86-64 and AArch64. */
    CRC32C(2),

    /**
     * Only the codec's own checks. The CRC-32 of gzip covers the block; the other formats have only their structure, so damage to the
     * content can go unnoticed.
     */
    NONE(0);

    private final byte id;

    Checksum(int id) {
        this.id = (byte) id;
    }

    /** Returns the eight bytes for the frame header. */
    public long compute(byte[] bytes, int offset, int length) {
        return switch (this) {
            case XXH64 -> Xxh64.of(bytes, offset, length);
            case CRC32C -> {
                CRC32C crc = new CRC32C();
                crc.update(bytes, offset, length);
                yield crc.getValue();
            }
            case NONE -> 0;
        };
    }

    /** Returns this checksum, or CRC-32C if lz4-java is missing, broken or disabled in this JVM. May load lz4-java. */
    public Checksum orFallback() {
        if (this != XXH64) {
            return this;
        }
        if (!CodecAvailability.librariesEnabled()) {
            return CRC32C;
        }
        try {
            Xxh64.of(new byte[0], 0, 0);
            return this;
        } catch (LinkageError e) {
            return CRC32C;
        }
    }

    byte id() {
        return id;
    }

    static Checksum ofId(byte id) throws CorruptFrameException {
        for (Checksum checksum : values()) {
            if (checksum.id == id) {
                return checksum;
            }
        }
        throw new CorruptFrameException("unknown checksum type " + id);
    }
}
