package io.jenkins.plugins.compressionaware.engine.delta;

import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes a file as ranges of chunks of the reference build and bytes between them, see docs/formats.md. A delta is sent in parts, so that
 * the controller rebuilds the file while the agent still looks up chunks. One thread of the agent fills and writes each part.
 */
final class Delta implements EntryEncoder.Part {
    /** Maximum number of ranges in one part; further chunks are sent as bytes. */
    private static final int MAX_RANGES = 1 << 18;

    /** A range of the file that equals {@code count} consecutive chunks of the signature. */
    private record ChunkRange(long from, long to, long firstChunk, long count) {}

    private final SeekableFileReader source;
    private final MessageDigest digest = ChunkHash.digest();
    private final ChunkHash.Key key = new ChunkHash.Key();
    /** Position up to which the file has been hashed. */
    private long hashed;

    private final List<ChunkRange> ranges = new ArrayList<>();

    /** Position in the file at which this part begins. */
    long begin;

    /** Position in the file at which this part ends. */
    long end;

    /** Number of bytes that are reused. */
    long reusedBytes;

    Delta(SeekableFileReader source) {
        this.source = source;
    }

    /** Adds bytes that were read for a chunk to the hash of the file, so that the file is read only once. Reads and hashes any bytes before them first. */
    void hash(long from, byte[] bytes, int offset, int length) throws IOException {
        source.read(hashed, from, this::hash);
        hash(bytes, offset, length);
    }

    private void hash(byte[] bytes, int offset, int length) {
        digest.update(bytes, offset, length);
        key.accept(bytes, offset, length);
        hashed += length;
    }

    /** Returns the key of the whole file. */
    long key() throws IOException {
        source.read(hashed, source.size, this::hash);
        return key.get();
    }

    /** Replaces the delta by one chunk that is the whole file. Requires that no part has been written. */
    void replaceBy(int chunk) {
        ranges.clear();
        ranges.add(new ChunkRange(0, source.size, chunk, 1));
        reusedBytes = source.size;
    }

    /** Adds a known chunk; bytes between known chunks are sent. Returns false, and adds nothing, if there are too many ranges. */
    boolean add(long from, long length, int chunk) {
        ChunkRange last = ranges.isEmpty() ? null : ranges.get(ranges.size() - 1);
        if (last != null && last.to == from && last.firstChunk + last.count == chunk) {
            ranges.set(ranges.size() - 1, new ChunkRange(last.from, from + length, last.firstChunk, last.count + 1));
        } else if (ranges.size() < MAX_RANGES) {
            ranges.add(new ChunkRange(from, from + length, chunk, 1));
        } else {
            return false;
        }
        reusedBytes += length;
        return true;
    }

    @Override
    public boolean isFirst() {
        return begin == 0;
    }

    @Override
    public boolean isLast() {
        return end == source.size;
    }

    @Override
    public long length() {
        long length = (isFirst() ? Varint.length(source.size) : 0) + (isLast() ? ChunkHash.LENGTH : 0);
        long at = begin;
        for (ChunkRange range : ranges) {
            length += bytesLength(range.from - at)
                    + Varint.length(range.count << 1 | 1)
                    + Varint.length(range.firstChunk);
            at = range.to;
        }
        return length + bytesLength(end - at);
    }

    private static long bytesLength(long bytes) {
        return bytes == 0 ? 0 : Varint.length(bytes << 1) + bytes;
    }

    @Override
    public void writeTo(OutputStream target) throws IOException {
        DataOutputStream out = new DataOutputStream(target);
        if (isFirst()) {
            Varint.write(out, source.size);
        }
        for (ChunkRange range : ranges) {
            writeBytes(range.from, out);
            Varint.write(out, range.count << 1 | 1);
            Varint.write(out, range.firstChunk);
            source.read(hashed, range.to, this::hash);
            begin = range.to;
        }
        writeBytes(end, out);
        if (isLast()) {
            out.write(digest.digest());
        }
        ranges.clear();
    }

    private void writeBytes(long to, DataOutputStream out) throws IOException {
        if (begin < to) {
            Varint.write(out, to - begin << 1);
            long again = Math.max(begin, Math.min(hashed, to));
            source.read(begin, again, out::write);
            source.read(again, to, (bytes, offset, length) -> {
                hash(bytes, offset, length);
                out.write(bytes, offset, length);
            });
            begin = to;
        }
    }
}
