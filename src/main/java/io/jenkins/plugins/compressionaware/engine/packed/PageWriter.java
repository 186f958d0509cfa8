package io.jenkins.plugins.compressionaware.engine.packed;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** Collects a page of an index: numbers, and names without the bytes that they share with the name before. Not thread-safe. */
final class PageWriter {
    private static final int BITS = 7;
    private static final int MORE = 0x80;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private byte[] previous = {};

    /** Adds a number as LEB128, seven bits per byte, lowest first. A negative number takes ten bytes. */
    PageWriter number(long number) {
        long left = number;
        for (; (left & -MORE) != 0; left >>>= BITS) {
            bytes.write((int) left & MORE - 1 | MORE);
        }
        bytes.write((int) left);
        return this;
    }

    /** Adds a number that is small in either direction. */
    PageWriter signed(long number) {
        return number(number << 1 ^ number >> Long.SIZE - 1);
    }

    PageWriter text(byte[] text) {
        number(text.length);
        bytes.write(text, 0, text.length);
        return this;
    }

    PageWriter append(byte[] page) {
        bytes.writeBytes(page);
        return this;
    }

    PageWriter name(byte[] name) {
        int shared = Math.max(0, Arrays.mismatch(previous, name));
        number(shared);
        previous = name;
        return text(Arrays.copyOfRange(name, shared, name.length));
    }

    int length() {
        return bytes.size();
    }

    byte[] toBytes() {
        return bytes.toByteArray();
    }
}
