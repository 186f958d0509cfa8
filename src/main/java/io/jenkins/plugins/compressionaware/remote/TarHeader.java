package io.jenkins.plugins.compressionaware.remote;

import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.Iterator;

/** A header as in "ustar" of POSIX pax(1), with long names as GNU tar writes them. As plain as {@link FirstFiles}, with which it travels. */
final class TarHeader {
    /** Seconds since 1970 that a header has digits for, up to the year 2242. */
    static final long LAST_SECOND = (1L << 33) - 1;

    private static final int RECORD = 512;
    private static final int NAME = 100;

    private TarHeader() {}

    static int mode(BasicFileAttributes attributes, int usual) {
        if (!(attributes instanceof PosixFileAttributes)) {
            return usual;
        }
        int mode = 0;
        Iterator<PosixFilePermission> each =
                ((PosixFileAttributes) attributes).permissions().iterator();
        while (each.hasNext()) {
            // the constants are declared from the owner's read bit (0400) down to the others' execute bit (0001)
            mode |= 0400 >> each.next().ordinal();
        }
        return mode;
    }

    /** All that stands in front of an entry's content. */
    static byte[] of(String name, char type, int mode, int size, long seconds, String target) {
        byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        byte[] targetBytes = target.getBytes(StandardCharsets.UTF_8);
        byte[] all = joined(longName('K', targetBytes), longName('L', nameBytes));
        return joined(all, record(nameBytes, type, mode, size, seconds, targetBytes));
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    /** Empty if the name is not long. */
    private static byte[] longName(char type, byte[] name) {
        if (name.length <= NAME) {
            return new byte[0];
        }
        int size = name.length + 1;
        byte[] link = "././@LongLink".getBytes(StandardCharsets.US_ASCII);
        return joined(record(link, type, 0644, size, 0, new byte[0]), Arrays.copyOf(name, size + (-size & RECORD - 1)));
    }

    private static byte[] record(byte[] name, char type, int mode, int size, long seconds, byte[] target) {
        byte[] header = new byte[RECORD];
        System.arraycopy(name, 0, header, 0, fitting(name));
        octal(header, 100, 7, mode);
        octal(header, 108, 7, 0);
        octal(header, 116, 7, 0);
        octal(header, 124, 11, size);
        octal(header, 136, 11, seconds);
        header[156] = (byte) type;
        System.arraycopy(target, 0, header, 157, fitting(target));
        byte[] magic = "ustar\00000".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(magic, 0, header, 257, magic.length);
        int sum = 8 * ' ';
        for (int i = 0; i < RECORD; i++) {
            sum += header[i] & 0xff;
        }
        octal(header, 148, 6, sum);
        header[155] = ' ';
        return header;
    }

    /** How much of a name a header has: whole characters, and no slash where it is cut, which readers take for a folder's. */
    private static int fitting(byte[] name) {
        int length = Math.min(name.length, NAME);
        while (length < name.length && length > 0 && ((name[length] & 0xc0) == 0x80 || name[length - 1] == '/')) {
            length--;
        }
        return length;
    }

    private static void octal(byte[] header, int offset, int digits, long number) {
        long rest = number;
        for (int i = digits - 1; i >= 0; i--) {
            header[offset + i] = (byte) ('0' + (rest & 7));
            rest >>= 3;
        }
    }
}
