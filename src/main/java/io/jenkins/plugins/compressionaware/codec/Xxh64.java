package io.jenkins.plugins.compressionaware.codec;

import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;

/** Apart from {@link Checksum}, so that a JVM loads the library only when a block needs it. */
final class Xxh64 {
    /** Gives way to plain Java by itself where native code does not load. Safe for use by several threads. */
    private static final XXHash64 HASH = XXHashFactory.fastestInstance().hash64();

    private static final long SEED = 0;

    private Xxh64() {}

    static long of(byte[] bytes, int offset, int length) {
        return HASH.hash(bytes, offset, length, SEED);
    }
}
