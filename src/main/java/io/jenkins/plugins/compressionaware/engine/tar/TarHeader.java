package io.jenkins.plugins.compressionaware.engine.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Builds the headers of tar entries: POSIX ustar, with long names as in GNU tar, and large numbers as in star. Fresh agents load this class for the bootstrap
 * call, and each class takes about a millisecond, so it uses no library, no nested class and no lambda.
 */
@Restricted(NoExternalUse.class)
public final class TarHeader {
    /** Type flag of an entry that contains a file's delta, or the last part of one. POSIX reserves capital letters for private use. */
    static final char DELTA = 'R';

    /** Type flag of an entry that contains a part of a delta. The next entry continues the delta. */
    static final char DELTA_PART = 'Q';

    static final int RECORD = 512;

    /** Number of zero bytes at the end of a tar. */
    public static final int TRAILER_LENGTH = 2 * RECORD;

    /** Length of the fields for a name and for a link target, bytes. */
    static final int NAME = 100;

    /** A name of fewer characters fits into such a field, because UTF-8 needs at most three bytes for each. */
    private static final int MAX_SAFE_CHARS = NAME / 3;

    /** Largest number with eleven octal digits: a size of 8 GiB, or a time in the year 2242. */
    private static final long MAX_OCTAL = (1L << 33) - 1;

    private TarHeader() {}

    /**
     * Returns the header of a file or folder.
     *
     * @param name ends with a slash for a folder
     */
    public static byte[] of(String name, long size, BasicFileAttributes attributes) {
        return of(name, size, attributes.lastModifiedTime().toMillis(), mode(attributes));
    }

    /**
     * @param millis modification time, milliseconds since 1970
     * @param mode   permissions; -1 if the file system has none
     */
    static byte[] of(String name, long size, long millis, int mode) {
        return of(name, name.endsWith("/") ? '5' : '0', "", size, millis, mode);
    }

    /** Returns the header of a delta, or of a part of a delta, with the file's name, mode and time. */
    static byte[] ofDelta(String name, long size, BasicFileAttributes attributes, boolean last) {
        long millis = attributes.lastModifiedTime().toMillis();
        return of(name, last ? DELTA : DELTA_PART, "", size, millis, mode(attributes));
    }

    public static byte[] ofLink(String name, String target, BasicFileAttributes attributes) {
        return ofLink(name, target, attributes.lastModifiedTime().toMillis());
    }

    /** Returns the header of a link to an object of its own, with the file's mode and time. */
    static byte[] ofObject(String name, String key, BasicFileAttributes attributes) {
        return of(name, '2', key, 0, attributes.lastModifiedTime().toMillis(), mode(attributes));
    }

    static byte[] ofLink(String name, String target, long millis) {
        return of(name, '2', target, 0, millis, -1);
    }

    /** Returns the size of the header of a file or link, bytes. */
    static int length(String name, @CheckForNull String target) {
        return RECORD + lengthOfLong(relative(name)) + (target == null ? 0 : lengthOfLong(target));
    }

    private static int lengthOfLong(String name) {
        // encode only names that may be too long
        int bytes = name.length() < MAX_SAFE_CHARS ? 0 : name.getBytes(StandardCharsets.UTF_8).length;
        return bytes < NAME ? 0 : RECORD + bytes + 1 + paddingLength(bytes + 1);
    }

    /** Returns the zeros that follow content of this size. */
    public static byte[] padding(long size) {
        return new byte[paddingLength(size)];
    }

    static int paddingLength(long size) {
        return (int) -size & RECORD - 1;
    }

    static int mode(BasicFileAttributes attributes) {
        if (!(attributes instanceof PosixFileAttributes posix)) {
            return -1;
        }
        int mode = 0;
        for (PosixFilePermission permission : posix.permissions()) {
            // the constants are declared from the owner's read bit (0400) down to the others' execute bit (0001)
            mode |= 0400 >> permission.ordinal();
        }
        return mode;
    }

    private static byte[] of(String name, char typeFlag, String target, long size, long millis, int mode) {
        byte[] nameBytes = relative(name).getBytes(StandardCharsets.UTF_8);
        byte[] targetBytes = target.getBytes(StandardCharsets.UTF_8);
        // whole seconds, as in core, because a fraction would need an extra header
        long seconds = millis / 1000;
        byte[] longNames = joined(longName('L', nameBytes, seconds), longName('K', targetBytes, seconds));
        int known = mode >= 0 ? mode : typeFlag == '5' ? 040755 : 0100644;
        return joined(longNames, record(nameBytes, typeFlag, targetBytes, size, seconds, known));
    }

    /** Returns an additional entry for a name that does not fit into a header; empty if the name fits. */
    private static byte[] longName(char typeFlag, byte[] name, long seconds) {
        if (name.length < NAME) {
            return new byte[0];
        }
        byte[] link = "././@LongLink".getBytes(StandardCharsets.US_ASCII);
        int size = name.length + 1;
        byte[] content = Arrays.copyOf(name, size + paddingLength(size));
        return joined(record(link, typeFlag, new byte[0], size, seconds, 0100644), content);
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private static byte[] record(byte[] name, char typeFlag, byte[] target, long size, long seconds, int mode) {
        byte[] header = new byte[RECORD];
        System.arraycopy(name, 0, header, 0, fitting(name));
        number(header, 100, 8, mode);
        number(header, 108, 8, 0); // owner
        number(header, 116, 8, 0); // group
        number(header, 124, 12, size);
        number(header, 136, 12, seconds);
        header[156] = (byte) typeFlag;
        System.arraycopy(target, 0, header, 157, fitting(target));
        byte[] magic = "ustar\00000".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(magic, 0, header, 257, magic.length);
        number(header, 329, 8, 0); // device numbers
        number(header, 337, 8, 0);
        int sum = 8 * ' ';
        for (byte each : header) {
            sum += each & 0xff;
        }
        number(header, 148, 7, sum);
        header[154] = 0;
        header[155] = ' ';
        return header;
    }

    /** Returns how many bytes of a name to store in a header: whole characters, without a slash at the end, which would mark a folder. */
    private static int fitting(byte[] name) {
        int length = Math.min(name.length, NAME);
        while (length < name.length && length > 0 && ((name[length] & 0xc0) == 0x80 || name[length - 1] == '/')) {
            length--;
        }
        return length;
    }

    /** Writes octal digits and a space, or a binary number with the field's highest bit set if the digits do not suffice. */
    private static void number(byte[] header, int offset, int length, long number) {
        if (number < 0 || number > MAX_OCTAL) {
            Arrays.fill(header, offset, offset + length, (byte) (number >> 63));
            ByteBuffer.wrap(header).putLong(offset + length - Long.BYTES, number);
            header[offset] |= (byte) 0x80;
            return;
        }
        long rest = number;
        for (int i = length - 2; i >= 0; i--) {
            header[offset + i] = (byte) ('0' + (rest & 7));
            rest >>= 3;
        }
        header[offset + length - 1] = ' ';
    }

    /** Removes leading slashes. Core's names have none, and unpackers would remove them. */
    static String relative(String name) {
        int start = 0;
        while (start < name.length() && name.charAt(start) == '/') {
            start++;
        }
        return name.substring(start);
    }
}
