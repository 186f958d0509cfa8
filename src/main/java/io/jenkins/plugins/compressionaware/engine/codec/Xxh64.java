package io.jenkins.plugins.compressionaware.engine.codec;

import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;

/** Separate from {@link Checksum}, so that a JVM loads the library only when a block needs it. */
final class Xxh64 {
    /** Safe for use by several threads. */
    private static final XXHash64 HASH = factory().hash64();

    private static final long SEED = 0;

    private Xxh64() {}

    /**
     * As for LZ4: native code, or else plain Java (11 and 3 GB/s on one machine). Left to itself in a plugin, the library would use
     * {@code Unsafe}, of which JDK 24 and newer warn.
     */
    private static XXHashFactory factory() {
        try {
            return XXHashFactory.nativeInstance();
        } catch (RuntimeException | LinkageError e) {
            return XXHashFactory.safeInstance();
        }
    }

    static long of(byte[] bytes, int offset, int length) {
        return HASH.hash(bytes, offset, length, SEED);
    }
}
