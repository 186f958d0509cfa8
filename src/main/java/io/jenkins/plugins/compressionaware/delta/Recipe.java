package io.jenkins.plugins.compressionaware.delta;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Arrays;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * How to make a file of pieces of an earlier build and of bytes that are sent; see formats.md. On the agent, used by one thread: it is filled first, and then
 * written.
 */
@Restricted(NoExternalUse.class)
public final class Recipe {
    static final byte VERSION = 1;

    /** A file that needs more runs is sent as it is. */
    private static final int MOST_RUNS = 1 << 18;

    private final Path path;
    private final long size;
    private byte[] hash;
    /** For each run: where it begins in the file, where it ends, the first piece, how many. */
    private long[] runs = new long[4 * 16];

    private int count;
    private long known;

    Recipe(Path path, long size) {
        this.path = path;
        this.size = size;
    }

    /** Adds what follows, with bytes between if there are; false if there are too many runs. */
    boolean add(long from, long length, int piece) {
        known += length;
        int last = 4 * (count - 1);
        if (count > 0 && runs[last + 1] == from && runs[last + 2] + runs[last + 3] == piece) {
            runs[last + 1] = from + length;
            runs[last + 3]++;
            return true;
        }
        if (count == MOST_RUNS) {
            return false;
        }
        if (4 * count == runs.length) {
            runs = Arrays.copyOf(runs, 2 * runs.length);
        }
        runs[4 * count] = from;
        runs[4 * count + 1] = from + length;
        runs[4 * count + 2] = piece;
        runs[4 * count + 3] = 1;
        count++;
        return true;
    }

    /** Bytes that need not be sent. */
    long known() {
        return known;
    }

    void is(byte[] sha256) {
        hash = sha256;
    }

    /** Of what {@link #writeTo} writes, bytes. */
    public long length() {
        long length = 1 + Varint.length(size) + Hash.LENGTH;
        long at = 0;
        for (int i = 0; i < 4 * count; i += 4) {
            length += bytesLength(runs[i] - at) + Varint.length(runs[i + 3] << 1 | 1) + Varint.length(runs[i + 2]);
            at = runs[i + 1];
        }
        return length + bytesLength(size - at);
    }

    private static long bytesLength(long bytes) {
        return bytes == 0 ? 0 : Varint.length(bytes << 1) + bytes;
    }

    /** @throws IOException if the file cannot be read, or has become shorter */
    public void writeTo(OutputStream target) throws IOException {
        DataOutputStream out = new DataOutputStream(target);
        try (Source source = new Source(path, size, Source.WINDOW)) {
            out.writeByte(VERSION);
            Varint.write(out, size);
            out.write(hash);
            long at = 0;
            for (int i = 0; i < 4 * count; i += 4) {
                writeBytes(source, at, runs[i], out);
                Varint.write(out, runs[i + 3] << 1 | 1);
                Varint.write(out, runs[i + 2]);
                at = runs[i + 1];
            }
            writeBytes(source, at, size, out);
        }
    }

    private void writeBytes(Source source, long from, long to, DataOutputStream out) throws IOException {
        if (from == to) {
            return;
        }
        Varint.write(out, to - from << 1);
        byte[] buffer = new byte[(int) Math.min(Source.WINDOW / 4, to - from)];
        for (long at = from; at < to; ) {
            int n = (int) Math.min(buffer.length, to - at);
            read(source, at, buffer, n);
            out.write(buffer, 0, n);
            at += n;
        }
    }

    private void read(Source source, long at, byte[] buffer, int length) throws IOException {
        try {
            source.read(at, buffer, 0, length);
        } catch (IOException e) {
            throw new IOException("Cannot archive " + path + ": " + e.getMessage(), e);
        }
    }
}
