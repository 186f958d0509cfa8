package io.jenkins.plugins.compressionaware.engine.packed;

import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads what a {@link PageWriter} has written, and trusts nothing. Not thread-safe. */
final class PageReader {
    private static final int MAX_NAME = 64 * 1024;

    private final byte[] page;
    private int at;
    private byte[] name = new byte[256];
    private int nameLength;

    PageReader(byte[] page) {
        this.page = page;
    }

    boolean atEnd() {
        return at == page.length;
    }

    long number() throws CorruptFrameException {
        long number = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            check(at < page.length);
            byte next = page[at++];
            number |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return number;
            }
        }
        throw damaged();
    }

    long signed() throws CorruptFrameException {
        long number = number();
        return number >>> 1 ^ -(number & 1);
    }

    /** Reads a number from 0 to a limit. */
    long number(long most) throws CorruptFrameException {
        long number = number();
        check(number >= 0 && number <= most);
        return number;
    }

    String text() throws CorruptFrameException {
        int length = length();
        at += length;
        return new String(page, at - length, length, StandardCharsets.UTF_8);
    }

    private int length() throws CorruptFrameException {
        long length = number();
        check(length >= 0 && length <= page.length - at);
        return (int) length;
    }

    /** Reads a name, which is then the current name. Each name must follow the one before. */
    void nextName() throws CorruptFrameException {
        int shared = (int) number(nameLength);
        int length = length();
        check(length > 0 && length <= MAX_NAME - shared);
        check(shared == nameLength || (page[at] & 0xff) > (name[shared] & 0xff));
        if (shared + length > name.length) {
            name = Arrays.copyOf(name, 2 * (shared + length));
        }
        System.arraycopy(page, at, name, shared, length);
        at += length;
        nameLength = shared + length;
    }

    /** Compares the current name with another one, byte by byte. */
    int compareName(byte[] other) {
        return Arrays.compareUnsigned(name, 0, nameLength, other, 0, other.length);
    }

    byte[] nameBytes() {
        return Arrays.copyOf(name, nameLength);
    }

    String name() {
        return new String(name, 0, nameLength, StandardCharsets.UTF_8);
    }

    static void check(boolean valid) throws CorruptFrameException {
        if (!valid) {
            throw damaged();
        }
    }

    private static CorruptFrameException damaged() {
        return new CorruptFrameException("the index is damaged");
    }
}
