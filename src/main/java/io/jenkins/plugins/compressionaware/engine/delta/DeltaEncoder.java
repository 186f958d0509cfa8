package io.jenkins.plugins.compressionaware.engine.delta;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import java.io.IOException;
import java.nio.file.Path;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Finds the parts of a file that need not be sent. On the agent, used by one thread. */
@Restricted(NoExternalUse.class)
public final class DeltaEncoder implements EntryEncoder {
    /** Time of cutting, beside hashing, nanoseconds per byte. */
    private static final double CHUNKING_NANOS_PER_BYTE = 0.6;

    /** Share of the time to send a file that may be spent on looking it up. */
    private static final double MAX_LOOKUP_SHARE = 0.8;

    /** A file is sent as it is unless more than one part in this many is known. */
    private static final int MIN_REUSE_DIVISOR = 16;

    /** Share of the last archive's time that looking in vain may take, for all files together. */
    private static final double MAX_FRUITLESS_SHARE = 0.02;

    /** Time of looking, nanoseconds per byte: 1 to 2 in warm JVMs, 6 in one that has just started. */
    private static final double LOOKUP_NANOS_PER_BYTE = 3;

    /** Least bytes of the file that a part of its recipe covers, unless it is the last. */
    private static final long MIN_PART_BYTES = 4 << 20;

    /** Most parts of a recipe: each has a header, and the receiver limits those. */
    private static final int MAX_PARTS = 32;

    private final Signature offer;
    private final long mostInVain;
    private long left;
    /** Bytes that may still be looked at in vain. */
    private long patience;

    private DeltaEncoder(Signature offer) {
        this.offer = offer;
        left = offer.allowance;
        long archived = (offer.allowance - ChunkIndex.EXTRA_REUSE_BYTES) / 2;
        mostInVain = (long) (MAX_FRUITLESS_SHARE * archived * offer.nanosPerRaw / LOOKUP_NANOS_PER_BYTE);
        patience = mostInVain;
    }

    /**
     * Makes one for a transfer.
     *
     * @param offer the controller's list, by {@link ChunkIndex#signature}; null if there is none
     * @return {@link #NONE} without a list, or if looking files up costs more here than sending them
     */
    public static EntryEncoder of(@CheckForNull byte[] offer) throws IOException {
        Signature pieces = offer == null ? null : Signature.decode(offer);
        boolean pays = pieces != null
                && ChunkHash.isFasterThan(MAX_LOOKUP_SHARE * pieces.nanosPerRaw - CHUNKING_NANOS_PER_BYTE);
        return pays ? new DeltaEncoder(pieces) : NONE;
    }

    @Override
    public boolean encode(Path path, long size, Parts parts) throws IOException {
        boolean mayBeThere = offer.mayContainLength(size);
        boolean small = size <= Chunker.MIN_SPLIT_BYTES;
        boolean worth = size >= Chunker.MIN_CHUNK
                && size <= left
                && ArchiveStats.NANOS_PER_FILE <= MAX_LOOKUP_SHARE * offer.nanosPerRaw * size;
        if (!worth || !mayBeThere && (small || patience <= 0)) {
            return false;
        }
        try (SeekableFileReader source = new SeekableFileReader(path, size, SeekableFileReader.WINDOW)) {
            Delta recipe = new Delta(source);
            Look look = new Look(source, recipe, parts, mayBeThere);
            if (!source.isAsExpected()) {
                return false;
            }
            boolean all = small || Chunker.visit(source, look);
            patience = Math.min(mostInVain, patience - look.lookedAt + MIN_REUSE_DIVISOR * recipe.reusedBytes());
            int whole = all && look.mayBeWhole ? offer.find(size, recipe.key()) : -1;
            if (whole >= 0) {
                recipe.replaceBy(whole);
            } else if (recipe.isFirst() && !(all && recipe.reusedBytes() > size / MIN_REUSE_DIVISOR)) {
                return false;
            }
            recipe.end(size);
            parts.add(recipe);
            left -= recipe.reusedBytes();
            return true;
        }
    }

    /** One pass over a file. While all pieces are known, the file may equal one file of the earlier build, so no part is sent yet. */
    private final class Look implements Chunker.Visitor {
        private final SeekableFileReader source;
        private final Delta recipe;
        private final Parts parts;
        private final long atLeast;
        private final long part;
        private boolean mayBeWhole;
        private long lookedAt;

        Look(SeekableFileReader source, Delta recipe, Parts parts, boolean mayBeWhole) {
            this.source = source;
            this.recipe = recipe;
            this.parts = parts;
            this.mayBeWhole = mayBeWhole;
            atLeast = Math.min(patience, source.size() / 4);
            part = Math.max(MIN_PART_BYTES, source.size() / MAX_PARTS);
        }

        @Override
        public boolean nested(long from, long length) throws IOException {
            boolean known = offer.mayContainLength(length) && add(from, length, ChunkHash.key(source, from, length));
            goesOn(known ? from + length : from);
            return known;
        }

        @Override
        public boolean piece(long from, byte[] bytes, int offset, int length) throws IOException {
            boolean known = offer.mayContainLength(length) && add(from, length, ChunkHash.key(bytes, offset, length));
            mayBeWhole &= known || offer.isFull();
            if (recipe.reusedBytes() > 0) {
                recipe.hash(from, bytes, offset, length);
            }
            return goesOn(from + length);
        }

        private boolean add(long from, long length, long key) {
            int piece = offer.find(length, key);
            return piece >= 0 && recipe.add(from, length, piece);
        }

        private boolean goesOn(long at) throws IOException {
            lookedAt = at;
            boolean enough = recipe.reusedBytes() > at / MIN_REUSE_DIVISOR;
            if (enough && !mayBeWhole && at - recipe.begin() >= part && at < source.size()) {
                recipe.end(at);
                parts.add(recipe);
            }
            return at < atLeast || enough;
        }
    }
}
