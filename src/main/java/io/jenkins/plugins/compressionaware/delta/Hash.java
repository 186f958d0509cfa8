package io.jenkins.plugins.compressionaware.delta;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256, of which lists have the first eight bytes: they find what may be the same, and the hash of a whole file then tells. */
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

    static byte[] of(Source source) throws IOException {
        return of(source, 0, source.size());
    }

    /** @throws InterruptedIOException if its thread has been interrupted */
    static byte[] of(Source source, long from, long length) throws IOException {
        MessageDigest digest = digest();
        byte[] buffer = new byte[(int) Math.min(Source.WINDOW / 4, length)];
        for (long done = 0; done < length; ) {
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException();
            }
            int n = (int) Math.min(buffer.length, length - done);
            source.read(from + done, buffer, 0, n);
            digest.update(buffer, 0, n);
            done += n;
        }
        return digest.digest();
    }

    static byte[] of(byte[] bytes, int offset, int length) {
        MessageDigest digest = digest();
        digest.update(bytes, offset, length);
        return digest.digest();
    }

    static long prefix(byte[] hash) {
        return ByteBuffer.wrap(hash).getLong();
    }

    /** Measured in about a millisecond where the CPU has instructions for it, ten where it has not. */
    static double nanosPerByte() {
        byte[] bytes = new byte[PROBE];
        MessageDigest digest = digest();
        double least = Double.MAX_VALUE;
        // the first times a young JVM still interprets
        for (int i = 0; i < 3; i++) {
            long start = System.nanoTime();
            byte[] unused = digest.digest(bytes);
            least = Math.min(least, (System.nanoTime() - start) / (double) PROBE);
        }
        return least;
    }
}
