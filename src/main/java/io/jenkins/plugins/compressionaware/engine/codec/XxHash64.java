package io.jenkins.plugins.compressionaware.engine.codec;

import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;

/** xxHash64, apart from {@link Checksum} so that a JVM loads the library only when a block needs it. */
final class XxHash64 {
    /** Thread-safe. */
    private static final XXHash64 HASH = factory().hash64();

    private static final long SEED = 0;

    private XxHash64() {}

    /**
     * Returns native code if it loads, also on the controller, because a hash only reads bytes and interprets none; otherwise plain Java, which takes ten
     * times as long. The library's own choice would be {@code Unsafe} in a plugin, which makes JDK 24 and newer print warnings.
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
