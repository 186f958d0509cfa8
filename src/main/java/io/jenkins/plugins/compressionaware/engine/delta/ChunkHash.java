package io.jenkins.plugins.compressionaware.engine.delta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/** Computes the keys by which equal chunks are found, and the SHA-256 by which whole files are verified. */
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
     * Returns the key of a chunk: eight bytes of the SHA-256 of its length, CRC-32 and CRC-32C. Checksums are 50 times as fast as the
     * SHA-256 of the chunk; the SHA-256 over them keeps an agent from computing unknown bytes of a chunk from its key.
     */
    static long key(byte[] bytes, int offset, int length) {
        Key key = new Key();
        key.accept(bytes, offset, length);
        return key.get();
    }

    static long key(SeekableFileReader source, long from, long length) throws IOException {
        Key key = new Key();
        source.read(from, from + length, key);
        return key.get();
    }

    /** Computes the key of bytes that are read part by part. */
    static final class Key implements SeekableFileReader.ByteConsumer {
        private final CRC32 first = new CRC32();
        private final CRC32C second = new CRC32C();
        private long length;

        @Override
        public void accept(byte[] bytes, int offset, int n) {
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
     * Returns whether SHA-256 takes at most this time per byte. Measures several rounds until one is fast enough, because a young JVM is
     * slow in the first ones. All rounds take about a millisecond, 30 in a young JVM.
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
