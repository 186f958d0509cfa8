package io.jenkins.plugins.compressionaware.engine.delta;

import java.io.IOException;

/**
 * Cuts a file into pieces: at the members of zip files, including those stored in other zip files, and elsewhere by content. Short parts between members,
 * such as a member's header with its time, belong to no piece. Both ends cut alike.
 */
final class Pieces {
    /** Bytes of the smallest piece: each takes about ten bytes in a list. */
    static final int SMALLEST = 512;

    /** A file or member of at most this many bytes is not cut by content. */
    static final int CUT_FROM = 2 * ContentCut.USUAL;

    /** Levels of zip files within zip files. */
    private static final int DEEPEST = 3;

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
    private static final int BUFFER = 4 * ContentCut.MOST;

    private final Source source;
    private final Visitor visitor;
    private byte[] buffer = {};

    private Pieces(Source source, Visitor visitor) {
        this.source = source;
        this.visitor = visitor;
    }

    /** @return false if the visitor has stopped */
    static boolean visit(Source source, Visitor visitor) throws IOException {
        return new Pieces(source, visitor).archive(0, source.size(), 0);
    }

    private boolean archive(long from, long to, int depth) throws IOException {
        long at = from;
        boolean goOn = true;
        if (depth < DEEPEST) {
            ZipMembers members = ZipMembers.of(source, from, to);
            ZipMembers.Member member = members.next(at);
            while (goOn && member != null) {
                goOn = span(at, member.from()) && member(member, depth);
                at = member.end();
                member = members.next(at);
            }
        }
        return goOn && span(at, to);
    }

    private boolean member(ZipMembers.Member member, int depth) throws IOException {
        if (member.stored() && ZipMembers.mayBegin(source, member.from(), member.end())) {
            return visitor.nested(member.from(), member.length()) || archive(member.from(), member.end(), depth + 1);
        }
        return span(member.from(), member.end());
    }

    private boolean span(long from, long to) throws IOException {
        if (to - from < SMALLEST) {
            return true;
        }
        if (buffer.length < Math.min(BUFFER, to - from)) {
            buffer = new byte[(int) Math.min(BUFFER, to - from)];
        }
        boolean cut = to - from > CUT_FROM;
        boolean goOn = true;
        int filled = 0;
        int begin = 0;
        for (long at = from; at < to && goOn; ) {
            long left = to - at;
            if (filled - begin < Math.min(left, ContentCut.MOST)) {
                System.arraycopy(buffer, begin, buffer, 0, filled - begin);
                filled -= begin;
                begin = 0;
                int more = (int) Math.min(buffer.length, left) - filled;
                source.read(at + filled, buffer, filled, more);
                filled += more;
            }
            int length = cut ? ContentCut.length(buffer, begin, filled) : filled;
            if (length >= SMALLEST) {
                goOn = visitor.piece(at, buffer, begin, length);
            }
            begin += length;
            at += length;
        }
        return goOn;
    }
}
