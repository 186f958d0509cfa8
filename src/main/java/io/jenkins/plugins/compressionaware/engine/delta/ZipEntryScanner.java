package io.jenkins.plugins.compressionaware.engine.delta;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;

/**
 * Finds the content of a zip file's entries by its central directory (APPNOTE.TXT, PKWARE), without inflating it. A file may have any number of entries, but
 * entries beyond 4 GiB are not found.
 * The result only decides where to cut, so a wrong directory costs only matches. Used by one thread.
 */
final class ZipEntryScanner {
    /**
     * The content of one entry.
     *
     * @param from         position in the file, after the entry's header
     * @param uncompressed whether the content is not compressed
     */
    record EntryRange(long from, long length, boolean uncompressed) {
        long end() {
            return from + length;
        }
    }

    private static final int LOCAL = 0x04034b50;
    private static final int LOCAL_LENGTH = 30;
    private static final int CENTRAL = 0x02014b50;
    private static final int CENTRAL_LENGTH = 46;
    private static final int END = 0x06054b50;
    private static final int END_LENGTH = 22;
    private static final int MAX_COMMENT_LENGTH = 0xffff;

    /** Number of entries in the end record of a file that also has a zip64 end record, which is followed by a locator of 20 bytes. */
    private static final int MANY = 0xffff;

    private static final int END64 = 0x06064b50;
    private static final int END64_LENGTH = 56 + 20;

    /** Maximum length in bytes of a central directory that is read, enough for 100,000 entries with names of 70 characters. */
    private static final int MAX_DIRECTORY_BYTES = 12 << 20;

    private static final ZipEntryScanner NONE = new ZipEntryScanner(null, List.of(), 0);

    private final SeekableFileReader source;
    /** The remaining entries in the order of their content, so that the file is read once. Each position is still that of the header. */
    private final Iterator<EntryRange> entries;

    private final long end;

    private ZipEntryScanner(SeekableFileReader source, List<EntryRange> entries, long end) {
        this.source = source;
        this.entries = entries.iterator();
        this.end = end;
    }

    /** Returns whether a zip file of at least {@link Chunker#MIN_CHUNK} bytes may begin here. */
    static boolean looksLikeZip(SeekableFileReader source, long from, long to) throws IOException {
        return to - from >= Chunker.MIN_CHUNK
                && read(source, from, Integer.BYTES).getInt() == LOCAL;
    }

    /** Reads the central directory of a file or a part of a file. The result has no entries if this is not a zip file. */
    static ZipEntryScanner of(SeekableFileReader source, long from, long to) throws IOException {
        if (!looksLikeZip(source, from, to)) {
            return NONE;
        }
        int tail = (int) Math.min(to - from, END_LENGTH + MAX_COMMENT_LENGTH);
        ByteBuffer bytes = read(source, to - tail, tail);
        for (int i = tail - END_LENGTH; i >= 0; i--) {
            if (bytes.getInt(i) == END && u16(bytes, i + 20) == tail - END_LENGTH - i) {
                return of(source, from, to - tail + i, bytes.position(i));
            }
        }
        return NONE;
    }

    private static ZipEntryScanner of(SeekableFileReader source, long from, long endRecord, ByteBuffer end)
            throws IOException {
        int at = end.position();
        if (u16(end, at + 10) == MANY && endRecord - from > END64_LENGTH) {
            ByteBuffer end64 = read(source, endRecord - END64_LENGTH, END64_LENGTH);
            if (end64.getInt(0) == END64) {
                return of(source, from, endRecord - END64_LENGTH, end64.getLong(40), end64.getLong(48));
            }
        }
        return of(source, from, endRecord, u32(end, at + 12), u32(end, at + 16));
    }

    /**
     * @param length length of the directory, which precedes the end record
     * @param offset position of the directory in the zip file
     */
    private static ZipEntryScanner of(SeekableFileReader source, long from, long endRecord, long length, long offset)
            throws IOException {
        if (length < 0 || offset < 0 || length > Math.min(MAX_DIRECTORY_BYTES, endRecord - from)) {
            return NONE;
        }
        ByteBuffer directory = read(source, endRecord - length, (int) length);
        // offsets are relative to this position, which is after the start if other bytes precede the zip file
        long zero = endRecord - length - offset;
        if (zero < from) {
            return NONE;
        }
        List<EntryRange> entries = new ArrayList<>();
        while (directory.remaining() >= CENTRAL_LENGTH) {
            int at = directory.position();
            if (directory.getInt(at) != CENTRAL) {
                return NONE;
            }
            entries.add(new EntryRange(
                    zero + u32(directory, at + 42), u32(directory, at + 20), u16(directory, at + 10) == 0));
            int next =
                    at + CENTRAL_LENGTH + u16(directory, at + 28) + u16(directory, at + 30) + u16(directory, at + 32);
            directory.position(Math.min(directory.limit(), next));
        }
        entries.sort(Comparator.comparingLong(EntryRange::from));
        return new ZipEntryScanner(source, entries, endRecord - length);
    }

    /**
     * Returns the next entry, of which only the header is read.
     *
     * @param minStart end of the previous entry, so that no byte belongs to two entries
     * @return null if there are no more
     */
    @CheckForNull
    EntryRange next(long minStart) throws IOException {
        while (entries.hasNext()) {
            EntryRange entry = entries.next();
            if (entry.from + LOCAL_LENGTH <= end && entry.length > 0) {
                ByteBuffer local = read(source, entry.from, LOCAL_LENGTH);
                long from = entry.from + LOCAL_LENGTH + u16(local, 26) + u16(local, 28);
                if (local.getInt(0) == LOCAL && from >= minStart && from + entry.length <= end) {
                    return new EntryRange(from, entry.length, entry.uncompressed);
                }
            }
        }
        return null;
    }

    private static int u16(ByteBuffer bytes, int at) {
        return bytes.getShort(at) & 0xffff;
    }

    private static long u32(ByteBuffer bytes, int at) {
        return bytes.getInt(at) & 0xffffffffL;
    }

    private static ByteBuffer read(SeekableFileReader source, long from, int length) throws IOException {
        byte[] bytes = new byte[length];
        source.read(from, bytes, 0, length);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
