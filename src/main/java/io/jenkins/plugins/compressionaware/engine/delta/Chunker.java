package io.jenkins.plugins.compressionaware.engine.delta;

import java.io.IOException;

/**
 * Cuts a file into chunks: at the entries of zip files, also of uncompressed zip files inside them, and otherwise by content. Short gaps
 * between entries, such as an entry's header with its time, belong to no chunk. Both ends cut alike.
 */
final class Chunker {
    /** Minimum length of a chunk in bytes. A signature has about ten bytes per chunk. */
    static final int MIN_CHUNK = 512;

    /** Maximum bytes of a file or entry that is not cut by content. */
    static final int MIN_SPLIT_BYTES = 2 * FastCdcChunker.TARGET_CHUNK;

    private static final int MAX_ZIP_NESTING = 3;

    /** Receives chunks in the order of the file. */
    interface Visitor {
        /** Returns whether a nested zip file of at least {@link #MIN_CHUNK} bytes is known as a whole. Otherwise its chunks follow. */
        default boolean nested(long from, long length) throws IOException {
            return false;
        }

        /** Receives a chunk, and returns whether to continue. */
        boolean chunk(long from, byte[] bytes, int offset, int length) throws IOException;
    }

    /** Maximum length of the buffer in bytes. At four times {@link FastCdcChunker#MAX_CHUNK}, at most every fourth chunk needs a refill. */
    private static final int BUFFER = 4 * FastCdcChunker.MAX_CHUNK;

    private final SeekableFileReader source;
    private final Visitor visitor;
    private byte[] buffer = {};

    private Chunker(SeekableFileReader source, Visitor visitor) {
        this.source = source;
        this.visitor = visitor;
    }

    /**
     * Passes all chunks of a file to a visitor.
     *
     * @return false if the visitor stopped
     */
    static boolean visit(SeekableFileReader source, Visitor visitor) throws IOException {
        return new Chunker(source, visitor).archive(0, source.size, 0);
    }

    private boolean archive(long from, long to, int depth) throws IOException {
        long at = from;
        boolean goOn = true;
        if (depth < MAX_ZIP_NESTING) {
            ZipEntryScanner entries = ZipEntryScanner.of(source, from, to);
            ZipEntryScanner.EntryRange entry = entries.next(at);
            while (goOn && entry != null) {
                goOn = span(at, entry.from()) && entry(entry, depth);
                at = entry.end();
                entry = entries.next(at);
            }
        }
        return goOn && span(at, to);
    }

    private boolean entry(ZipEntryScanner.EntryRange entry, int depth) throws IOException {
        if (entry.uncompressed() && ZipEntryScanner.looksLikeZip(source, entry.from(), entry.end())) {
            return visitor.nested(entry.from(), entry.length()) || archive(entry.from(), entry.end(), depth + 1);
        }
        return span(entry.from(), entry.end());
    }

    private boolean span(long from, long to) throws IOException {
        if (to - from < MIN_CHUNK) {
            return true;
        }
        if (buffer.length < Math.min(BUFFER, to - from)) {
            buffer = new byte[(int) Math.min(BUFFER, to - from)];
        }
        boolean cut = to - from > MIN_SPLIT_BYTES;
        boolean goOn = true;
        int filled = 0;
        int begin = 0;
        for (long at = from; at < to && goOn; ) {
            long left = to - at;
            if (filled - begin < Math.min(left, FastCdcChunker.MAX_CHUNK)) {
                System.arraycopy(buffer, begin, buffer, 0, filled - begin);
                filled -= begin;
                begin = 0;
                int more = (int) Math.min(buffer.length, left) - filled;
                source.read(at + filled, buffer, filled, more);
                filled += more;
            }
            int length = cut ? FastCdcChunker.nextChunkLength(buffer, begin, filled) : filled;
            if (length >= MIN_CHUNK) {
                goOn = visitor.chunk(at, buffer, begin, length);
            }
            begin += length;
            at += length;
        }
        return goOn;
    }
}
