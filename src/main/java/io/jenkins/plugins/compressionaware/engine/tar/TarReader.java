package io.jenkins.plugins.compressionaware.engine.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/**
 * Reads a tar that {@link TarHeader} wrote; as a stream, it is the content of the current entry. Trusts nothing: extensions other than GNU's long names are
 * rejected, and the bytes around contents are limited, because names are kept in memory. Not thread-safe, and without nested classes and lambdas, because fresh
 * agents load this class first.
 */
final class TarReader extends ChunkedInputStream {
    /** Maximum overhead of one entry, bytes: headers, a long name and link target, padding. */
    static final int MAX_ENTRY_OVERHEAD = 64 * 1024;

    /** Type flags of PAX headers for all entries and for the next one, by POSIX and by Sun, and of GNU's sparse files. */
    private static final String REJECTED_TYPE_FLAGS = "gxXS";

    private static final byte[] END = new byte[TarHeader.RECORD];

    private final InputStream in;
    private byte[] header;
    private long totalOverheadLeft;
    private int overheadLeft;
    private long unread;
    private long position;
    private int padding;
    private String name;
    private String target;
    private char typeFlag;
    private int mode;
    private long size;
    private long seconds;

    @CheckForNull
    private IOException failure;

    /** @param maxTotalOverhead bytes that all entries together may have besides their contents */
    TarReader(InputStream in, long maxTotalOverhead) {
        this.in = in;
        totalOverheadLeft = maxTotalOverhead;
    }

    /**
     * Advances to the next entry. Unread content of the previous entry is added to the overhead of this one.
     *
     * @return false after the last entry; the stream has then been read to its end
     */
    boolean next() throws IOException {
        overheadLeft = MAX_ENTRY_OVERHEAD;
        readOverhead(unread);
        readOverhead(padding);
        name = null;
        target = null;
        boolean found = readHeader();
        while (found && (typeFlag == 'L' || typeFlag == 'K')) {
            if (typeFlag == 'K') {
                target = longText();
            } else {
                name = longText();
            }
            found = readHeader();
        }
        if (!found) {
            drain();
            return false;
        }
        name = name == null ? field(0) : name;
        target = target == null ? field(157) : target;
        unread = size;
        padding = TarHeader.paddingLength(size);
        totalOverheadLeft -= MAX_ENTRY_OVERHEAD - overheadLeft;
        if (totalOverheadLeft < 0) {
            throw new IOException("Too many bytes around the tar entries");
        }
        return true;
    }

    /** Returns false for an empty header, which ends the tar. */
    private boolean readHeader() throws IOException {
        header = readOverhead(TarHeader.RECORD);
        if (Arrays.equals(header, END)) {
            return false;
        }
        int sum = 8 * ' ';
        for (int i = 0; i < TarHeader.RECORD; i++) {
            sum += i >= 148 && i < 156 ? 0 : header[i] & 0xff;
        }
        check(octal(148, 8) == sum);
        typeFlag = (char) (header[156] & 0xff);
        if (REJECTED_TYPE_FLAGS.indexOf(typeFlag) >= 0) {
            throw new IOException("Refused a tar header of the type " + typeFlag + ": agents never send one");
        }
        for (int i = 345; i < TarHeader.RECORD; i++) { // prefixes of long names, and fields of other formats
            check(header[i] == 0);
        }
        mode = (int) octal(100, 8) & 0777;
        size = number(124);
        seconds = number(136);
        check(size >= 0);
        return true;
    }

    private static void check(boolean known) throws IOException {
        if (!known) {
            throw new IOException("Damaged tar header");
        }
    }

    /** Reads the content of an entry that contains a long name or link target. */
    private String longText() throws IOException {
        byte[] text = readOverhead(size);
        readOverhead(TarHeader.paddingLength(size));
        int length = text.length;
        while (length > 0 && text[length - 1] == 0) {
            length--;
        }
        return new String(text, 0, length, StandardCharsets.UTF_8);
    }

    private String field(int offset) {
        int end = offset;
        while (end < offset + TarHeader.NAME && header[end] != 0) {
            end++;
        }
        return new String(header, offset, end - offset, StandardCharsets.UTF_8);
    }

    /** Reads a field of twelve bytes: octal digits, or a binary number with the highest bit set. */
    private long number(int offset) throws IOException {
        if (header[offset] >= 0) {
            return octal(offset, 12);
        }
        long number = ByteBuffer.wrap(header).getLong(offset + 4);
        byte sign = (byte) (number >> 63);
        check(header[offset] == (byte) (sign | 0x80));
        for (int i = offset + 1; i < offset + 4; i++) {
            check(header[i] == sign);
        }
        return number;
    }

    /** Reads octal digits, which only spaces and zero bytes may follow. */
    private long octal(int offset, int length) throws IOException {
        int end = offset;
        long number = 0;
        while (end < offset + length && header[end] >= '0' && header[end] <= '7') {
            number = number << 3 | header[end++] - '0';
        }
        check(end > offset);
        for (int i = end; i < offset + length; i++) {
            check(header[i] == 0 || header[i] == ' ');
        }
        return number;
    }

    /** Reads bytes that are not content. */
    private byte[] readOverhead(long length) throws IOException {
        if (length > overheadLeft) {
            throw overheadExceeded();
        }
        overheadLeft -= (int) length;
        byte[] bytes = new byte[(int) length];
        int done = 0;
        while (done < bytes.length) {
            done += readSome(bytes, done, bytes.length - done);
        }
        return bytes;
    }

    private void drain() throws IOException {
        for (int n = 0; n >= 0; n = in.read(header, 0, TarHeader.RECORD)) {
            overheadLeft -= n;
            if (overheadLeft < 0) {
                throw overheadExceeded();
            }
        }
    }

    private static IOException overheadExceeded() {
        return new IOException("More than " + MAX_ENTRY_OVERHEAD + " bytes around one tar entry");
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (unread == 0) {
            return -1;
        }
        int n = readSome(bytes, offset, (int) Math.min(length, unread));
        unread -= n;
        return n;
    }

    @Override
    public long skip(long length) throws IOException {
        long skipped = length <= 0 ? 0 : in.skip(Math.min(length, unread));
        unread -= skipped;
        position += skipped;
        return skipped;
    }

    @Override
    public int available() {
        return (int) Math.min(unread, Integer.MAX_VALUE);
    }

    /** Skips the rest of the current entry's content, without counting it as overhead. */
    void skipContent() throws IOException {
        while (unread > 0) {
            if (skip(unread) == 0) {
                throw new EOFException("Truncated tar");
            }
        }
    }

    /** Returns the number of bytes that were read or skipped. */
    long position() {
        return position;
    }

    /** Reads at least one byte. */
    private int readSome(byte[] bytes, int offset, int length) throws IOException {
        int n;
        try {
            n = in.read(bytes, offset, length);
        } catch (IOException e) {
            failure = e;
            throw e;
        }
        if (n < 0) {
            throw new EOFException("Truncated tar");
        }
        position += n;
        return n;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    /** Returns the exception of the underlying stream; null if there was none. */
    @CheckForNull
    IOException failure() {
        return failure;
    }

    String name() {
        return name;
    }

    String target() {
        return target;
    }

    /** Returns the type flag of the current entry, which may have any value. */
    char typeFlag() {
        return typeFlag;
    }

    int mode() {
        return mode;
    }

    static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
        PosixFilePermission[] all = PosixFilePermission.values();
        for (int i = 0; i < all.length; i++) {
            // the constants are declared from the owner's read bit (0400) down to the others' execute bit (0001)
            if ((mode & 0400 >> i) != 0) {
                set.add(all[i]);
            }
        }
        return set;
    }

    /** Returns the size of the current entry's content in bytes. */
    long size() {
        return size;
    }

    /** Returns the modification time in seconds since 1970; negative for earlier times. */
    long seconds() {
        return seconds;
    }
}
