package io.jenkins.plugins.compressionaware.engine.delta;

import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/**
 * Describes a file by pieces of an earlier build and by bytes that are sent; see formats.md. A recipe is sent in parts, so that the controller builds
 * the file while the agent still searches for pieces. On the agent, one thread fills and then writes each part.
 */
final class Delta implements EntryEncoder.Part {
    static final byte VERSION = 1;

    /** Most runs in one part; further pieces are sent as bytes. */
    private static final int MAX_RANGES = 1 << 18;

    /** A range of the file, made of {@code count} consecutive pieces of the list. */
    private record Run(long from, long to, long piece, long count) {}

    private final SeekableFileReader source;
    private final MessageDigest digest = ChunkHash.digest();
    private final ChunkHash.Key key = new ChunkHash.Key();
    /** Position up to which the hash of the whole file has been computed. */
    private long hashed;

    private final List<Run> runs = new ArrayList<>();
    private long begin;
    private long end;
    private long reusedBytes;

    Delta(SeekableFileReader source) {
        this.source = source;
    }

    /** Adds bytes of a piece to the hash of the whole file, so that they are read only once; first reads and hashes any bytes before them. */
    void hash(long from, byte[] bytes, int offset, int length) throws IOException {
        source.read(hashed, from, this::hash);
        hash(bytes, offset, length);
    }

    private void hash(byte[] bytes, int offset, int length) {
        digest.update(bytes, offset, length);
        key.take(bytes, offset, length);
        hashed += length;
    }

    /** Returns the key of the whole file. */
    long key() throws IOException {
        source.read(hashed, source.size(), this::hash);
        return key.get();
    }

    /** Replaces the recipe by one piece that is the whole file. No part may have been written. */
    void replaceBy(int piece) {
        runs.clear();
        runs.add(new Run(0, source.size(), piece, 1));
        reusedBytes = source.size();
    }

    /** Adds a piece; the bytes before it, from the last one on, are sent. False if there are too many runs. */
    boolean add(long from, long length, int piece) {
        Run last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
        if (last != null && last.to == from && last.piece + last.count == piece) {
            runs.set(runs.size() - 1, new Run(last.from, from + length, last.piece, last.count + 1));
        } else if (runs.size() < MAX_RANGES) {
            runs.add(new Run(from, from + length, piece, 1));
        } else {
            return false;
        }
        reusedBytes += length;
        return true;
    }

    /** Bytes that need not be sent. */
    long reusedBytes() {
        return reusedBytes;
    }

    /** Position in the file where this part begins. */
    long begin() {
        return begin;
    }

    @Override
    public boolean isFirst() {
        return begin == 0;
    }

    void end(long at) {
        end = at;
    }

    @Override
    public boolean isLast() {
        return end == source.size();
    }

    @Override
    public long length() {
        long length = (isFirst() ? 1 + Varint.length(source.size()) : 0) + (isLast() ? ChunkHash.LENGTH : 0);
        long at = begin;
        for (Run run : runs) {
            length += bytesLength(run.from - at) + Varint.length(run.count << 1 | 1) + Varint.length(run.piece);
            at = run.to;
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
            out.writeByte(VERSION);
            Varint.write(out, source.size());
        }
        for (Run run : runs) {
            writeBytes(run.from, out);
            Varint.write(out, run.count << 1 | 1);
            Varint.write(out, run.piece);
            source.read(hashed, run.to, this::hash);
            begin = run.to;
        }
        writeBytes(end, out);
        if (isLast()) {
            out.write(digest.digest());
        }
        runs.clear();
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
