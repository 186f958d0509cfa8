package io.jenkins.plugins.compressionaware.delta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/** Keys, by which lists find candidates for equal pieces, and the SHA-256 of a whole file, which then decides. */
final class Hash {
    static final int LENGTH = 32;

    private static final int PROBE = 512 * 1024;

    private Hash() {}

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
        CRC32 first = new CRC32();
        CRC32C second = new CRC32C();
        first.update(bytes, offset, length);
        second.update(bytes, offset, length);
        return key(first, second, length);
    }

    static long key(Source source, long from, long length) throws IOException {
        CRC32 first = new CRC32();
        CRC32C second = new CRC32C();
        source.read(from, from + length, (bytes, offset, n) -> {
            first.update(bytes, offset, n);
            second.update(bytes, offset, n);
        });
        return key(first, second, length);
    }

    private static long key(CRC32 first, CRC32C second, long length) {
        ByteBuffer sums = ByteBuffer.allocate(2 * Long.BYTES).putLong(length);
        sums.putInt((int) first.getValue()).putInt((int) second.getValue());
        return ByteBuffer.wrap(digest().digest(sums.array())).getLong();
    }

    /** Time of a SHA-256. Measuring it takes about a millisecond where the CPU has instructions for it, ten elsewhere. */
    static double nanosPerByte() {
        byte[] bytes = new byte[PROBE];
        MessageDigest digest = digest();
        double least = Double.MAX_VALUE;
        // a young JVM still interprets the first rounds
        for (int i = 0; i < 3; i++) {
            long start = System.nanoTime();
            byte[] unused = digest.digest(bytes);
            least = Math.min(least, (System.nanoTime() - start) / (double) PROBE);
        }
        return least;
    }
}
