package io.jenkins.plugins.compressionaware.engine.delta;

import java.io.IOException;

/**
 * Cuts a file into pieces: at the members of zip files, including those stored in other zip files, and elsewhere by content. Short parts between members,
 * such as a member's header with its time, belong to no piece. Both ends cut alike.
 */
final class Chunker {
    /** Bytes of the smallest piece: each takes about ten bytes in a list. */
    static final int MIN_CHUNK = 512;

    /** A file or member of at most this many bytes is not cut by content. */
    static final int MIN_SPLIT_BYTES = 2 * FastCdcChunker.TARGET_CHUNK;

    /** Levels of zip files within zip files. */
    private static final int MAX_ZIP_NESTING = 3;

    /** Receives pieces, in the order of the file. */
    interface Visitor {
        /** Whether a zip file within the file, not smaller than the smallest piece, is known as a whole; if not, its pieces follow. */
        default boolean nested(long from, long length) throws IOException {
            return false;
        }

        /** @return whether to go on */
        boolean piece(long from, byte[] bytes, int offset, int length) throws IOException;
    }

    /** Bytes of the longest buffer: four of the longest pieces, so that at most every fourth piece needs a refill. */
    private static final int BUFFER = 4 * FastCdcChunker.MAX_CHUNK;

    private final SeekableFileReader source;
    private final Visitor visitor;
    private byte[] buffer = {};

    private Chunker(SeekableFileReader source, Visitor visitor) {
        this.source = source;
        this.visitor = visitor;
    }

    /** @return false if the visitor has stopped */
    static boolean visit(SeekableFileReader source, Visitor visitor) throws IOException {
        return new Chunker(source, visitor).archive(0, source.size(), 0);
    }

    private boolean archive(long from, long to, int depth) throws IOException {
        long at = from;
        boolean goOn = true;
        if (depth < MAX_ZIP_NESTING) {
            ZipEntryScanner members = ZipEntryScanner.of(source, from, to);
            ZipEntryScanner.EntryRange member = members.next(at);
            while (goOn && member != null) {
                goOn = span(at, member.from()) && member(member, depth);
                at = member.end();
                member = members.next(at);
            }
        }
        return goOn && span(at, to);
    }

    private boolean member(ZipEntryScanner.EntryRange member, int depth) throws IOException {
        if (member.stored() && ZipEntryScanner.looksLikeZip(source, member.from(), member.end())) {
            return visitor.nested(member.from(), member.length()) || archive(member.from(), member.end(), depth + 1);
        }
        return span(member.from(), member.end());
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
                goOn = visitor.piece(at, buffer, begin, length);
            }
            begin += length;
            at += length;
        }
        return goOn;
    }
}
