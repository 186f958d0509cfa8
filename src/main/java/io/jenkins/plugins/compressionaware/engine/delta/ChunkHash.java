package io.jenkins.plugins.compressionaware.engine.delta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/** Keys, by which lists find candidates for equal pieces, and the SHA-256 of a whole file, which then decides. */
final class ChunkHash {
    static final int LENGTH = 32;

    private static final int BENCHMARK_BYTES = 64 * 1024;
    private static final int BENCHMARK_ROUNDS = 24;

    private ChunkHash() {}

    static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) { // every Java platform has it
            throw new IllegalStateException(e);
        }
    }

    /**
     * The key of a piece: eight bytes of the SHA-256 of its length and two checksums. The checksums take a fiftieth of the time of a SHA-256 of the piece, even
     * in a JVM that still interprets; the hash around them prevents solving for unknown bytes of a piece whose other bytes are known.
     */
    static long key(byte[] bytes, int offset, int length) {
        Key key = new Key();
        key.take(bytes, offset, length);
        return key.get();
    }

    static long key(SeekableFileReader source, long from, long length) throws IOException {
        Key key = new Key();
        source.read(from, from + length, key);
        return key.get();
    }

    /** The key of bytes that are read one part after the other. */
    static final class Key implements SeekableFileReader.ByteConsumer {
        private final CRC32 first = new CRC32();
        private final CRC32C second = new CRC32C();
        private long length;

        @Override
        public void take(byte[] bytes, int offset, int n) {
            first.update(bytes, offset, n);
            second.update(bytes, offset, n);
            length += n;
        }

        long get() {
            ByteBuffer sums = ByteBuffer.allocate(2 * Long.BYTES).putLong(length);
            sums.putInt((int) first.getValue()).putInt((int) second.getValue());
            return ByteBuffer.wrap(digest().digest(sums.array())).getLong();
        }
    }

    /**
     * Whether a SHA-256 takes at most this time. A young JVM takes 60 nanoseconds per byte in the first round, then 14: enough for a slow link, so that none
     * but an agent with a fast one waits for the compiler. All rounds take a millisecond, ten without the CPU's instructions for it, 30 in a young JVM.
     */
    static boolean isFasterThan(double nanosPerByte) {
        byte[] bytes = new byte[BENCHMARK_BYTES];
        MessageDigest digest = digest();
        boolean fast = false;
        for (int i = 0; i < BENCHMARK_ROUNDS && !fast; i++) {
            long start = System.nanoTime();
            digest.update(bytes);
            fast = System.nanoTime() - start <= BENCHMARK_BYTES * nanosPerByte;
        }
        return fast;
    }
}
