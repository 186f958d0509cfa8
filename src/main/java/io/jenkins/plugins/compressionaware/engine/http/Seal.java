package io.jenkins.plugins.compressionaware.engine.http;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Authenticates, and optionally encrypts, one direction of a transfer's HTTP messages with the JDK's AES-GCM. Each
 * message has a unique number and a tagged head; its body is sealed in chunks. Thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class Seal {
    /** Bytes of a key. */
    static final int KEY = 32;

    /** Plain bytes of every chunk except the last. Small, because a young JVM encrypts up to 40 times slower until its AES code is compiled. */
    public static final int CHUNK = 4096;

    private static final int TAG = 16;
    private static final byte[] NONE = {};

    /** Bytes per read or write of the underlying stream. */
    private static final int BUFFER = 16 * (CHUNK + TAG);

    private final SecretKey key;
    private final AtomicLong numbers = new AtomicLong();

    Seal(byte[] secret, int offset) {
        key = new SecretKeySpec(secret, offset, KEY, "AES");
    }

    /** Returns the number of a new message, starting at 1. */
    public long next() {
        return numbers.incrementAndGet();
    }

    /** Returns the tag of a head, as text. Must be called only once per number. */
    public String tag(long number, String head) {
        byte[] tag = new byte[TAG];
        crypt(cipher(), Cipher.ENCRYPT_MODE, number, 0, head, NONE, 0, tag);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(tag);
    }

    /** Returns whether the tag is valid for this head, in the same time for every wrong tag. */
    public boolean verifies(long number, String head, String tag) {
        byte[] bytes = Base64.getUrlDecoder().decode(tag);
        return bytes.length == TAG && crypt(cipher(), Cipher.DECRYPT_MODE, number, 0, head, bytes, TAG, NONE) == 0;
    }

    /** Returns the length of a sealed body from the length of its plain body. */
    public static int sealedLength(int length) {
        return length + (length + CHUNK - 1) / CHUNK * TAG;
    }

    /** Returns the length of a plain body from the length of its sealed body; -1 if no sealed body has that length. */
    public static int openedLength(int length) {
        int last = length % (CHUNK + TAG);
        return last > 0 && last <= TAG ? -1 : length - (length / (CHUNK + TAG) + (last > 0 ? 1 : 0)) * TAG;
    }

    /** Returns a stream that seals a body; {@link Sealing#finish} writes the last bytes. Must be called only once per number. */
    public Sealing sealing(long number, String head, OutputStream out) {
        return new Sealing(number, head, out);
    }

    /**
     * Returns a stream that opens a sealed body. A read returns only bytes of chunks with valid tags.
     *
     * @param length plain bytes of the whole body
     */
    public InputStream opening(long number, String head, InputStream in, int length) {
        return new Opening(number, head, in, length);
    }

    /** Returns whether this JVM can seal. */
    public static boolean works() {
        try {
            return new Seal(new byte[KEY], 0).tag(1, "") != null;
        } catch (NoCipherException e) {
            return false;
        }
    }

    private static Cipher cipher() {
        try {
            return Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new NoCipherException(e);
        }
    }

    /**
     * Encrypts or decrypts one chunk.
     *
     * @param chunk 0 for the head; chunks of the body start at 1
     * @return length of the result, bytes; -1 if the tag is invalid
     */
    private int crypt(Cipher cipher, int mode, long number, int chunk, String head, byte[] in, int length, byte[] out) {
        byte[] nonce = ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                .putLong(number)
                .putInt(chunk)
                .array();
        try {
            cipher.init(mode, key, new GCMParameterSpec(8 * TAG, nonce));
            cipher.updateAAD(head.getBytes(StandardCharsets.UTF_8));
            return cipher.doFinal(in, 0, length, out);
        } catch (AEADBadTagException e) {
            return -1;
        } catch (GeneralSecurityException e) {
            throw new NoCipherException(e);
        }
    }

    public final class Sealing extends OutputStream {
        private final Cipher cipher = cipher();
        private final long number;
        private final String head;
        private final OutputStream out;
        private final byte[] plain = new byte[CHUNK];
        private final byte[] sealed = new byte[CHUNK + TAG];
        private int filled;
        private int chunk;

        private Sealing(long number, String head, OutputStream out) {
            this.number = number;
            this.head = head;
            this.out = new BufferedOutputStream(out, BUFFER);
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            for (int done = 0; done < length; ) {
                int n = Math.min(length - done, CHUNK - filled);
                System.arraycopy(bytes, offset + done, plain, filled, n);
                done += n;
                filled += n;
                if (filled == CHUNK) {
                    seal();
                }
            }
        }

        private void seal() throws IOException {
            out.write(sealed, 0, crypt(cipher, Cipher.ENCRYPT_MODE, number, ++chunk, head, plain, filled, sealed));
            filled = 0;
        }

        /** Writes the remaining bytes. Must not be called for an incomplete body. */
        public void finish() throws IOException {
            if (filled > 0) {
                seal();
            }
            out.flush();
        }
    }

    private final class Opening extends InputStream {
        private final Cipher cipher = cipher();
        private final long number;
        private final String head;
        private final InputStream in;
        private final byte[] sealed = new byte[CHUNK + TAG];
        private final byte[] plain = new byte[CHUNK];
        private ByteArrayInputStream opened = new ByteArrayInputStream(NONE);
        private int left;
        private int chunk;

        private Opening(long number, String head, InputStream in, int length) {
            this.number = number;
            this.head = head;
            this.in = new BufferedInputStream(in, BUFFER);
            left = length;
        }

        @Override
        public int read() throws IOException {
            return opened().read();
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            return opened().read(target, offset, length);
        }

        /** Returns the opened bytes that are still unread; opens the next chunk if there are none. */
        private ByteArrayInputStream opened() throws IOException {
            if (opened.available() == 0 && left > 0) {
                int length = Math.min(left, CHUNK) + TAG;
                if (in.readNBytes(sealed, 0, length) < length) {
                    throw new EOFException("the body broke off");
                }
                int n = crypt(cipher, Cipher.DECRYPT_MODE, number, ++chunk, head, sealed, length, plain);
                if (n < 0) {
                    chunk = Integer.MIN_VALUE; // makes every later tag invalid
                    throw new ChangedException();
                }
                left -= n;
                opened = new ByteArrayInputStream(plain, 0, n);
            }
            return opened;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    /** Thrown if the JVM has no AES-GCM with a chosen nonce, for example in FIPS mode. */
    static final class NoCipherException extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        NoCipherException(GeneralSecurityException reason) {
            super("this JVM does not offer AES-GCM", reason);
        }
    }

    /** Thrown when a sealed body was modified in transit. */
    static final class ChangedException extends IOException {
        private static final long serialVersionUID = 1L;

        ChangedException() {
            super("something on the way changed the bytes");
        }
    }
}
