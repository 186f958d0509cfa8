package io.jenkins.plugins.compressionaware.engine.delta;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;

/** The list of the controller's pieces that an agent gets by {@link ChunkIndex#signature}: length and key of each. A piece is named by its position in the list. */
final class Signature {
    /** Bytes per piece, about. */
    static final int BYTES = Long.BYTES + 2;

    static final byte VERSION = 1;

    /** Lengths are sorted into this many classes. */
    private static final int LENGTHS = 1 << 20;

    final long allowance;
    final double nanosPerRaw;
    private final long[] length;
    private final long[] key;
    private final BitSet lengths = new BitSet();
    /** Positions by key, -1 where free: a key takes the first free slot from its own on. */
    private final int[] table;

    private Signature(long[] length, long[] key, long allowance, double nanosPerRaw) {
        this.length = length;
        this.key = key;
        this.allowance = allowance;
        this.nanosPerRaw = nanosPerRaw;
        table = new int[Math.max(2, 2 * Integer.highestOneBit(length.length) * 2)];
        Arrays.fill(table, -1);
        for (int i = 0; i < length.length; i++) {
            lengths.set(kind(length[i]));
            int slot = slot(key[i]);
            while (table[slot] >= 0 && key[table[slot]] != key[i]) { // of equal pieces, the first is enough
                slot = slot + 1 & table.length - 1;
            }
            table[slot] = table[slot] < 0 ? i : table[slot];
        }
    }

    private static int kind(long length) {
        return (int) (length ^ length >>> 20) & LENGTHS - 1;
    }

    private int slot(long key) {
        return (int) key & table.length - 1;
    }

    static Signature decode(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        if (in.readByte() != VERSION) {
            throw new IOException("The list of pieces has an unknown version");
        }
        long allowance = in.readLong();
        double nanosPerRaw = in.readDouble();
        long[] length = new long[in.readInt()];
        long[] key = new long[length.length];
        for (int i = 0; i < length.length; i++) {
            length[i] = Varint.read(in);
        }
        ByteBuffer.wrap(bytes)
                .position(bytes.length - in.available())
                .asLongBuffer()
                .get(key);
        return new Signature(length, key, allowance, nanosPerRaw);
    }

    /** Whether the list lacks pieces of the earlier build for want of room. */
    boolean isFull() {
        return length.length == ChunkIndex.MAX_CHUNKS;
    }

    /** Whether there may be a piece of this length, so that hashing the bytes is worthwhile. */
    boolean mayContainLength(long bytes) {
        return lengths.get(kind(bytes));
    }

    /** The position of a piece; -1 if it is not in the list. */
    int find(long bytes, long key) {
        for (int slot = slot(key); table[slot] >= 0; slot = slot + 1 & table.length - 1) {
            int piece = table[slot];
            if (this.key[piece] == key && length[piece] == bytes) {
                return piece;
            }
        }
        return -1;
    }
}
