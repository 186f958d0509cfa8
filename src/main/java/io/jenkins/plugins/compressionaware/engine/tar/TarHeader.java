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
 * Bytes before the content of an entry: a header as in "ustar" of POSIX pax(1), with long names as GNU tar writes them, and numbers that do not fit as star
 * does. It travels with the first call of a fresh agent, for which every class takes about a millisecond: so it uses no library, no nested class and no
 * lambda.
 */
@Restricted(NoExternalUse.class)
public final class TarHeader {
    /** Kind of an entry whose content is a recipe for its file, or the last part of one. POSIX leaves such letters to private use. */
    static final char DELTA = 'R';

    /** Kind of an entry whose content is a part of a recipe that the next entry continues. */
    static final char DELTA_PART = 'Q';

    private static final int RECORD = 512;

    /** Number of zero bytes at the end of a tar. */
    public static final int TRAILER_LENGTH = 2 * RECORD;

    /** Bytes of the fields for a name and for a link's target. */
    private static final int NAME = 100;

    /** Any characters fit into such a field if there are no more than this: three bytes each. */
    private static final int MAX_SAFE_CHARS = NAME / 3;

    /** Largest number with eleven octal digits: a size of 8 GiB, a time in the year 2242. */
    private static final long MOST_DIGITS = (1L << 33) - 1;

    private TarHeader() {}

    /**
     * The header of a file or folder.
     *
     * @param name with a slash at the end for a folder
     */
    public static byte[] of(String name, long size, BasicFileAttributes attributes) {
        return of(name, size, attributes.lastModifiedTime().toMillis(), mode(attributes));
    }

    /**
     * @param millis time of the last change, milliseconds since 1970
     * @param mode   permissions; -1 where there are none
     */
    static byte[] of(String name, long size, long millis, int mode) {
        return of(name, name.endsWith("/") ? '5' : '0', "", size, millis, mode);
    }

    /** The header of a file whose content is a recipe, or a part of one. */
    static byte[] ofRecipe(String name, long size, BasicFileAttributes attributes, boolean last) {
        long millis = attributes.lastModifiedTime().toMillis();
        return of(name, last ? DELTA : DELTA_PART, "", size, millis, mode(attributes));
    }

    public static byte[] ofLink(String name, String target, BasicFileAttributes attributes) {
        return ofLink(name, target, attributes.lastModifiedTime().toMillis());
    }

    static byte[] ofLink(String name, String target, long millis) {
        return of(name, '2', target, 0, millis, -1);
    }

    /** Bytes of the header of a file or link. */
    static int length(String name, @CheckForNull String target) {
        return RECORD + lengthOfLong(relative(name)) + (target == null ? 0 : lengthOfLong(target));
    }

    private static int lengthOfLong(String name) {
        // encoded only where it may be too long
        int bytes = name.length() < MAX_SAFE_CHARS ? 0 : name.getBytes(StandardCharsets.UTF_8).length;
        return bytes < NAME ? 0 : RECORD + bytes + 1 + paddingLength(bytes + 1);
    }

    /** The zeros after a content of this size. */
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

    private static byte[] of(String name, char kind, String target, long size, long millis, int mode) {
        byte[] nameBytes = relative(name).getBytes(StandardCharsets.UTF_8);
        byte[] targetBytes = target.getBytes(StandardCharsets.UTF_8);
        // whole seconds, as core sends them: a fraction would need an extra header
        long seconds = millis / 1000;
        byte[] longNames = joined(longName('L', nameBytes, seconds), longName('K', targetBytes, seconds));
        int known = mode >= 0 ? mode : kind == '5' ? 040755 : 0100644;
        return joined(longNames, record(nameBytes, kind, targetBytes, size, seconds, known));
    }

    /** A name that does not fit into a header, as an entry of its own; empty if it does. */
    private static byte[] longName(char kind, byte[] name, long seconds) {
        if (name.length < NAME) {
            return new byte[0];
        }
        byte[] link = "././@LongLink".getBytes(StandardCharsets.US_ASCII);
        int size = name.length + 1;
        byte[] content = Arrays.copyOf(name, size + paddingLength(size));
        return joined(record(link, kind, new byte[0], size, seconds, 0100644), content);
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private static byte[] record(byte[] name, char kind, byte[] target, long size, long seconds, int mode) {
        byte[] header = new byte[RECORD];
        System.arraycopy(name, 0, header, 0, fitting(name));
        number(header, 100, 8, mode);
        number(header, 108, 8, 0); // owner
        number(header, 116, 8, 0); // group
        number(header, 124, 12, size);
        number(header, 136, 12, seconds);
        header[156] = (byte) kind;
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

    /** Bytes of a name that a header holds: whole characters, and no slash at the cut, which readers would take for a folder's. */
    private static int fitting(byte[] name) {
        int length = Math.min(name.length, NAME);
        while (length < name.length && length > 0 && ((name[length] & 0xc0) == 0x80 || name[length - 1] == '/')) {
            length--;
        }
        return length;
    }

    /** Writes octal digits and a space; or, where they do not suffice, a binary number with the highest bit of the field set. */
    private static void number(byte[] header, int offset, int length, long number) {
        if (number < 0 || number > MOST_DIGITS) {
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

    /** The name without leading slashes: core's names have none, and any unpacker would remove them. */
    static String relative(String name) {
        int start = 0;
        while (start < name.length() && name.charAt(start) == '/') {
            start++;
        }
        return name.substring(start);
    }
}
