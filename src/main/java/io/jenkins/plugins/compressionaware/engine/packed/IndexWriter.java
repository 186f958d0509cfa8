package io.jenkins.plugins.compressionaware.engine.packed;

import io.jenkins.plugins.compressionaware.engine.codec.Crc32c;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes the index of a packed archive: pages of entries, sorted by name, pages of frames, and a root page that finds them, all compressed, in one skippable
 * frame. {@link PackedIndex} reads it. Not thread-safe.
 */
final class IndexWriter {
    static final int SKIPPABLE_MAGIC = 0x184D2A5D;
    static final int PREAMBLE = 8;
    /** Length of the root's frame (4), and CRC-32C of all frames (4). */
    static final int TRAILER = 8;

    static final int VERSION = 1;

    /** A page of entries is complete when it has this many bytes. */
    private static final int PAGE = 32 * 1024;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream frames = new ByteArrayOutputStream();
    private final PageWriter pagesOfFrames = new PageWriter();
    private int framePages;
    private int pages;
    private PageWriter page = new PageWriter();
    private int framesInPage;
    private long rawInPage;
    private long wireInPage;
    private long rawBytes;
    private long wireBytes;

    IndexWriter() {
        out.writeBytes(new byte[PREAMBLE]);
    }

    /** Adds a frame. Must be called for all frames, in their order, before {@link #toBytes}. */
    void add(int rawLength, int wireLength) {
        rawBytes += rawLength;
        wireBytes += wireLength;
        if (rawLength > 0) {
            page.number(rawLength).number(wireLength);
            rawInPage += rawLength;
            wireInPage += wireLength;
            if (++framesInPage == PackedIndex.FRAMES_PER_PAGE) {
                endFramePage();
            }
        }
    }

    private void endFramePage() {
        byte[] frame = PageCodec.encode(page.toBytes(), framePages);
        frames.writeBytes(frame);
        pagesOfFrames.number(frame.length).number(rawInPage).number(wireInPage);
        framePages++;
        framesInPage = 0;
        rawInPage = 0;
        wireInPage = 0;
        page = new PageWriter();
    }

    /**
     * Returns the index, a skippable frame.
     *
     * @param entries sorted by the UTF-8 bytes of their names
     */
    byte[] toBytes(Iterable<TarEntry> entries) throws IOException {
        endFramePage();
        PageWriter names = new PageWriter();
        page = new PageWriter();
        IndexEntry encoder = new IndexEntry();
        byte[] last = {};
        byte[] first = null;
        for (TarEntry entry : entries) {
            if (first == null) {
                byte[] name = entry.name().getBytes(StandardCharsets.UTF_8);
                // the shortest text between this page and the page before
                first = Arrays.copyOf(name, Math.min(name.length, Math.max(0, Arrays.mismatch(last, name)) + 1));
            }
            encoder.write(entry, page);
            if (page.length() >= PAGE) {
                endEntryPage(names.name(first));
                last = entry.name().getBytes(StandardCharsets.UTF_8);
                first = null;
                encoder = new IndexEntry();
            }
        }
        if (first != null) {
            endEntryPage(names.name(first));
        }
        return withRoot(names.toBytes());
    }

    private void endEntryPage(PageWriter names) {
        byte[] frame = PageCodec.encode(page.toBytes(), pages++);
        names.number(frame.length);
        out.writeBytes(frame);
        page = new PageWriter();
    }

    private byte[] withRoot(byte[] names) throws IOException {
        out.writeBytes(frames.toByteArray());
        byte[] root = new PageWriter()
                .number(VERSION)
                .number(wireBytes)
                .number(rawBytes)
                .number(pages)
                .number(framePages)
                .append(names)
                .append(pagesOfFrames.toBytes())
                .toBytes();
        if (root.length > FrameCodec.MAX_BLOCK) {
            throw new IOException("Cannot pack so many files into one archive");
        }
        byte[] frame = PageCodec.encode(root, 0);
        out.writeBytes(frame);
        byte[] index = Arrays.copyOf(out.toByteArray(), out.size() + TRAILER);
        int checksum = (int) Crc32c.of(index, PREAMBLE, out.size() - PREAMBLE);
        ByteBuffer.wrap(index)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(SKIPPABLE_MAGIC)
                .putInt(index.length - PREAMBLE)
                .putInt(out.size(), frame.length)
                .putInt(out.size() + 4, checksum);
        return index;
    }
}
