package io.jenkins.plugins.compressionaware.engine.codec;

import java.util.zip.CRC32C;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Detects a block that was damaged on its way. The ordinal is never stored or sent; {@link #id} is. A receiver accepts every kind.
 * The header always has its own CRC-32C.
 */
@Restricted(NoExternalUse.class)
public enum Checksum {
    /** xxHash64, seed 0. Needs the classes of lz4-java, with native code if that loads. */
    XXH64(1),

    /** CRC-32C, in the lower half of the eight bytes. Needs the JDK alone, where it is an intrinsic on x86-64 and AArch64. */
    CRC32C(2),

    /**
     * No checksum beyond the codec's own format: gzip has its CRC-32, which covers the block; the others have only their structure, so
     * damage to the content can go unnoticed.
     */
    NONE(0);

    private final byte id;

    Checksum(int id) {
        this.id = (byte) id;
    }

    /** The eight bytes for the frame's header. */
    long compute(byte[] bytes, int offset, int length) {
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

    /** This checksum, or CRC-32C if its library is missing, broken or refused in this JVM. May load that library. */
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
