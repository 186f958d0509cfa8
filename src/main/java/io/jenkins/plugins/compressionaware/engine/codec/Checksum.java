package io.jenkins.plugins.compressionaware.engine.codec;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.nio.ByteBuffer;
import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Checksum of a block, which detects damage in transit. A receiver accepts all of them. Frames contain {@link #id}, never the ordinal. */
@Restricted(NoExternalUse.class)
public enum Checksum {
    /** CRC-32C in the lower half of the eight bytes. Requires only the JDK. */
    CRC32C(0),

    /** xxHash64 with seed 0. Requires lz4-java. */
    XXHASH64(1);

    private final byte id;

    Checksum(int id) {
        this.id = (byte) id;
    }

    /** Returns the eight bytes for the frame header. */
    public long of(byte[] bytes, int offset, int length) {
        return this == CRC32C ? Crc32c.of(bytes, offset, length) : Library.hash(bytes, offset, length);
    }

    /** Returns the library that this checksum requires; null if it requires only the JDK. */
    @CheckForNull
    public CodecLibrary library() {
        return this == CRC32C ? null : CodecLibrary.LZ4;
    }

    /** Returns this checksum, or CRC-32C if its library does not work in this JVM. */
    public Checksum available() {
        CodecLibrary library = library();
        return library == null || library.problem() == null ? this : CRC32C;
    }

    public byte id() {
        return id;
    }

    public static Checksum ofId(byte id) throws CorruptFrameException {
        for (Checksum checksum : values()) {
            if (checksum.id == id) {
                return checksum;
            }
        }
        throw new CorruptFrameException("unknown checksum id " + id);
    }

    /**
     * A class of its own, so that a JVM loads the library only when a block needs it. Uses plain Java in all JVMs: native code would save 0.1 ns per byte, and
     * JDK 24 and newer would warn of it.
     */
    private static final class Library {
        private static final XXHash64 HASH = XXHashFactory.safeInstance().hash64();

        /** Returns the hash of an array's bytes. The library reads eight bytes at a time from a buffer, but one by one from an array it can access. */
        static long hash(byte[] bytes, int offset, int length) {
            return HASH.hash(ByteBuffer.wrap(bytes).asReadOnlyBuffer(), offset, length, 0);
        }
    }
}
