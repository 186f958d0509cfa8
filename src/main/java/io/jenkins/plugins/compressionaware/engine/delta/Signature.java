package io.jenkins.plugins.compressionaware.engine.delta;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The signature of a reference archive, as an agent decodes it from {@link ChunkIndex#signature}: lengths and keys of the archive's chunks.
 * A delta names a chunk by its position here.
 */
final class Signature {
    /** Approximate bytes per chunk. */
    static final int BYTES_PER_CHUNK = Long.BYTES + 2;

    /** Number of length classes, by which most unknown lengths are recognized. */
    private static final int LENGTH_CLASSES = 1 << 20;

    final long reuseLimit;
    final double nanosPerRaw;
    private final long[] chunkLengths;
    private final long[] chunkKeys;
    private final BitSet lengthClasses = new BitSet();
    /** Hash table of positions, -1 where free. A key is in the first free slot from its own on. */
    private final int[] table;

    Signature(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        reuseLimit = in.readLong();
        nanosPerRaw = in.readDouble();
        chunkLengths = new long[in.readInt()];
        chunkKeys = new long[chunkLengths.length];
        for (int i = 0; i < chunkLengths.length; i++) {
            chunkLengths[i] = Varint.read(in);
            lengthClasses.set(lengthClass(chunkLengths[i]));
        }
        ByteBuffer.wrap(bytes)
                .position(bytes.length - in.available())
                .asLongBuffer()
                .get(chunkKeys);
        table = new int[Math.max(2, 2 * Integer.highestOneBit(chunkLengths.length) * 2)];
        Arrays.fill(table, -1);
        for (int i = 0; i < chunkKeys.length; i++) {
            int slot = slot(chunkKeys[i]);
            while (table[slot] >= 0 && chunkKeys[table[slot]] != chunkKeys[i]) { // the first of equal chunks is enough
                slot = slot + 1 & table.length - 1;
            }
            table[slot] = table[slot] < 0 ? i : table[slot];
        }
    }

    private static int lengthClass(long length) {
        return (int) (length ^ length >>> 20) & LENGTH_CLASSES - 1;
    }

    private int slot(long key) {
        return (int) key & table.length - 1;
    }

    /** Returns whether chunks of the reference build may be missing here because there were too many. */
    boolean isFull() {
        return chunkLengths.length == ChunkIndex.MAX_CHUNKS;
    }

    /** Returns whether there may be a chunk of this length, so that hashing the bytes is worthwhile. */
    boolean mayContainLength(long length) {
        return lengthClasses.get(lengthClass(length));
    }

    /** Returns the position of a chunk; -1 if there is none. */
    int find(long length, long key) {
        for (int slot = slot(key); table[slot] >= 0; slot = slot + 1 & table.length - 1) {
            int chunk = table[slot];
            if (chunkKeys[chunk] == key && chunkLengths[chunk] == length) {
                return chunk;
            }
        }
        return -1;
    }
}
