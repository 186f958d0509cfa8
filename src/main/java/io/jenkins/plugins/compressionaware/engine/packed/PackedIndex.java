package io.jenkins.plugins.compressionaware.engine.packed;

import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileFooter;
import io.jenkins.plugins.compressionaware.engine.framefile.RangeReader;
import io.jenkins.plugins.compressionaware.engine.framefile.SeekTable;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Function;
import java.util.zip.CRC32C;

/** The index of a packed archive, as {@link IndexWriter} writes it. Only the root page is kept; other pages come from a source that may cache them. */
final class PackedIndex {
    /** Maximum length of a page but the root, bytes: a long name and a long link target fit. */
    static final int MAX_PAGE = 256 * 1024;

    private static final int MAX_FRAME = FrameCodec.maxFrameLength(MAX_PAGE);

    /** Number of frames of each page of frames but the last. */
    static final int FRAMES_PER_PAGE = 4096;

    /** Maximum number of pages: a terabyte of contents, or names of four gigabytes. */
    private static final int MAX_PAGES = 1 << 17;

    private final Pages source;
    final long framesEnd;
    final long rawBytes;

    /** Pages of entries, and then pages of frames. The last element is the end of the last page. */
    private final long[] positions;

    /** For each page of entries, a text that no name of it or of later pages precedes. */
    private final byte[][] names;

    /** For each page of frames, where its first frame begins in the tar and in the file. The last element is the end of the last frame. */
    private final long[] rawStarts;

    private final long[] wireStarts;

    /** Reads the bytes of an index. */
    interface Pages {
        /** Returns the decoded page at a position of the file. */
        byte[] page(long position, int length, int number) throws IOException;
    }

    /** A frame with a block of the tar. All numbers are bytes but its own. */
    record Place(long number, long rawStart, int rawLength, long wireStart, int wireLength) {}

    /** @param root decoded root page */
    PackedIndex(byte[] root, Pages source) throws CorruptFrameException {
        this.source = source;
        PageReader in = new PageReader(root);
        PageReader.check(in.number() == IndexWriter.VERSION);
        framesEnd = in.number(Long.MAX_VALUE);
        rawBytes = in.number(Long.MAX_VALUE);
        names = new byte[(int) in.number(MAX_PAGES)][];
        int framePages = (int) in.number(MAX_PAGES);
        positions = new long[names.length + framePages + 1];
        positions[0] = framesEnd + IndexWriter.PREAMBLE;
        rawStarts = new long[framePages + 1];
        wireStarts = new long[framePages + 1];
        for (int i = 0; i < names.length; i++) {
            in.nextName();
            names[i] = in.nameBytes();
            positions[i + 1] = positions[i] + in.number(MAX_FRAME);
        }
        for (int i = 0; i < framePages; i++) {
            int page = names.length + i;
            positions[page + 1] = positions[page] + in.number(MAX_FRAME);
            rawStarts[i + 1] = rawStarts[i] + in.number(rawBytes - rawStarts[i]);
            wireStarts[i + 1] = wireStarts[i] + in.number(framesEnd - wireStarts[i]);
        }
        PageReader.check(rawStarts[framePages] == rawBytes);
    }

    /** Reads bytes by position. */
    private interface Bytes {
        void read(long from, byte[] target, int offset, int length) throws IOException;

        default byte[] read(long from, int length) throws IOException {
            byte[] bytes = new byte[length];
            read(from, bytes, 0, length);
            return bytes;
        }
    }

    /**
     * Returns the verified root page of an index. Reads the index in parts, because an agent may have forged a long one.
     *
     * @param start start of the skippable frame
     * @param end   end of the skippable frame
     */
    private static byte[] root(Bytes bytes, long start, long end) throws IOException {
        long first = start + IndexWriter.PREAMBLE;
        long last = end - IndexWriter.TRAILER;
        PageReader.check(last > first && last - first < Integer.MAX_VALUE);
        ByteBuffer preamble =
                ByteBuffer.wrap(bytes.read(start, IndexWriter.PREAMBLE)).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer trailer =
                ByteBuffer.wrap(bytes.read(last, IndexWriter.TRAILER)).order(ByteOrder.LITTLE_ENDIAN);
        PageReader.check(preamble.getInt(0) == IndexWriter.SKIPPABLE_MAGIC
                && preamble.getInt(4) == end - first
                && trailer.getInt(4) == checksum(bytes, first, last));
        int length = trailer.getInt(0);
        PageReader.check(
                length >= 0 && length <= last - first && length <= FrameCodec.maxFrameLength(FrameCodec.MAX_BLOCK));
        return PageCodec.decode(bytes.read(last - length, length), 0, FrameCodec.MAX_BLOCK);
    }

    private static int checksum(Bytes bytes, long from, long to) throws IOException {
        CRC32C checksum = new CRC32C();
        byte[] part = new byte[MAX_PAGE];
        for (long at = from; at < to; at += part.length) {
            int length = (int) Math.min(part.length, to - at);
            bytes.read(at, part, 0, length);
            checksum.update(part, 0, length);
        }
        return (int) checksum.getValue();
    }

    /** Returns the verified root page of a file's index. */
    static byte[] root(RangeReader file) throws IOException {
        FrameFileFooter footer = FrameFileFooter.of(file);
        long end = file.length() - SeekTable.lengthIn(file) - FrameFileFooter.FRAME_LENGTH;
        byte[] root = root(file::read, footer.framesEnd(), end);
        PackedIndex parsed = new PackedIndex(root, null);
        PageReader.check(parsed.framesEnd == footer.framesEnd() && parsed.rawBytes == footer.rawBytes());
        return root;
    }

    /** Returns an index that is in memory. */
    static PackedIndex inMemory(byte[] index) throws IOException {
        byte[] root = root(
                (from, target, offset, length) -> System.arraycopy(index, (int) from, target, offset, length),
                0,
                index.length);
        long start = new PackedIndex(root, null).framesEnd;
        return new PackedIndex(root, (position, length, number) -> {
            int from = (int) (position - start);
            PageReader.check(length <= index.length - from);
            return PageCodec.decode(Arrays.copyOfRange(index, from, from + length), number, MAX_PAGE);
        });
    }

    int entryPages() {
        return names.length;
    }

    private byte[] page(int number) throws IOException {
        int ofItsKind = number < names.length ? number : number - names.length;
        return source.page(positions[number], (int) (positions[number + 1] - positions[number]), ofItsKind);
    }

    /** Returns the frame with a byte of the tar. */
    Place place(long raw) throws IOException {
        int page = Arrays.binarySearch(rawStarts, raw);
        page = page >= 0 ? page : -page - 2;
        if (raw < 0 || raw >= rawBytes) {
            throw new EOFException("The tar ends before byte " + raw);
        }
        while (rawStarts[page + 1] == rawStarts[page]) {
            page++; // without frames
        }
        PageReader in = new PageReader(page(names.length + page));
        long number = (long) page * FRAMES_PER_PAGE;
        long rawStart = rawStarts[page];
        long wireStart = wireStarts[page];
        while (true) {
            int rawLength = (int) in.number(FrameCodec.MAX_BLOCK);
            int wireLength = (int) in.number(FrameCodec.maxFrameLength(FrameCodec.MAX_BLOCK));
            if (raw < rawStart + rawLength) {
                return new Place(number, rawStart, rawLength, wireStart, wireLength);
            }
            number++;
            rawStart += rawLength;
            wireStart += wireLength;
        }
    }

    /**
     * Passes entries in the order of their names, as bytes of UTF-8.
     *
     * @param from    first possible name
     * @param visitor returns the next possible name; an empty text for the next entry; null to stop
     */
    void visit(String from, Function<TarEntry, String> visitor) throws IOException {
        byte[] key = from.getBytes(StandardCharsets.UTF_8);
        while (key != null) {
            key = visitFrom(key, visitor);
        }
    }

    /** Returns the name at which to search next; null to stop. */
    private byte[] visitFrom(byte[] key, Function<TarEntry, String> visitor) throws IOException {
        int first = Arrays.binarySearch(names, key, Arrays::compareUnsigned);
        byte[] search = key;
        for (int i = Math.max(0, first >= 0 ? first : -first - 2); i < names.length && search == key; i++) {
            PageReader entries = new PageReader(page(i));
            IndexEntry entry = new IndexEntry();
            while (!entries.atEnd()) {
                entry.read(entries, rawBytes);
                if (entries.compareName(search) >= 0) {
                    String wanted = visitor.apply(entry.get(entries));
                    if (wanted == null) {
                        return null;
                    }
                    search = wanted.isEmpty() ? search : wanted.getBytes(StandardCharsets.UTF_8);
                }
            }
        }
        return search == key ? null : search; // perhaps many pages later
    }
}
