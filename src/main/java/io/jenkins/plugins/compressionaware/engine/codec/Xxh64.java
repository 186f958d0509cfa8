package io.jenkins.plugins.compressionaware.engine.codec;

import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;

/** xxHash64, apart from {@link Checksum} so that a JVM loads the library only when a block needs it. */
final class Xxh64 {
    /** Thread-safe. */
    private static final XXHash64 HASH = factory().hash64();

    private static final long SEED = 0;

    private Xxh64() {}

    /**
     * Returns native code if it loads, otherwise plain Java (11 and 3 GB/s). By default, the library would use {@code Unsafe} in a plugin,
     * which makes JDK 24 and newer print warnings.
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
