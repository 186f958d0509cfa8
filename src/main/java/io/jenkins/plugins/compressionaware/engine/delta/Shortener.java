package io.jenkins.plugins.compressionaware.engine.delta;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import java.io.IOException;
import java.nio.file.Path;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Finds the parts of a file that need not be sent. On the agent, used by one thread. */
@Restricted(NoExternalUse.class)
public final class Shortener implements EntryEncoder {
    /** Time of cutting, beside hashing, nanoseconds per byte. */
    private static final double CUTTING = 0.6;

    /** Share of the time to send a file that may be spent on looking it up. */
    private static final double WORTH = 0.8;

    /** A file is sent as it is unless more than one part in this many is known. */
    private static final int LITTLE = 16;

    /** Share of the last archive's time that looking in vain may take, for all files together. */
    private static final double PATIENCE = 0.02;

    /** Time of looking, nanoseconds per byte: 1 to 2 in warm JVMs, 6 in one that has just started. */
    private static final double LOOKING = 3;

    /** Least bytes of the file that a part of its recipe covers, unless it is the last. */
    private static final long PART = 4 << 20;

    /** Most parts of a recipe: each has a header, and the receiver limits those. */
    private static final int MOST_PARTS = 32;

    private final Offer offer;
    private final long mostInVain;
    private long left;
    /** Bytes that may still be looked at in vain. */
    private long patience;

    private Shortener(Offer offer) {
        this.offer = offer;
        left = offer.allowance;
        long archived = (offer.allowance - Index.FURTHER) / 2;
        mostInVain = (long) (PATIENCE * archived * offer.nanosPerRaw / LOOKING);
        patience = mostInVain;
    }

    /**
     * Makes one for a transfer.
     *
     * @param offer the controller's list, by {@link Index#offer}; null if there is none
     * @return {@link #NONE} without a list, or if looking files up costs more here than sending them
     */
    public static EntryEncoder of(@CheckForNull byte[] offer) throws IOException {
        Offer pieces = offer == null ? null : Offer.decode(offer);
        boolean pays = pieces != null && Hash.takesAtMost(WORTH * pieces.nanosPerRaw - CUTTING);
        return pays ? new Shortener(pieces) : NONE;
    }

    @Override
    public boolean shorten(Path path, long size, Parts parts) throws IOException {
        boolean mayBeThere = offer.mayHave(size);
        boolean small = size <= Pieces.CUT_FROM;
        boolean worth = size >= Pieces.SMALLEST && size <= left && Facts.FILE <= WORTH * offer.nanosPerRaw * size;
        if (!worth || !mayBeThere && (small || patience <= 0)) {
            return false;
        }
        try (Source source = new Source(path, size, Source.WINDOW)) {
            Recipe recipe = new Recipe(source);
            Look look = new Look(source, recipe, parts, mayBeThere);
            if (!source.isAsExpected()) {
                return false;
            }
            boolean all = small || Pieces.visit(source, look);
            patience = Math.min(mostInVain, patience - look.lookedAt + LITTLE * recipe.known());
            int whole = all && look.mayBeWhole ? offer.find(size, recipe.key()) : -1;
            if (whole >= 0) {
                recipe.replaceBy(whole);
            } else if (recipe.isFirst() && !(all && recipe.known() > size / LITTLE)) {
                return false;
            }
            recipe.end(size);
            parts.add(recipe);
            left -= recipe.known();
            return true;
        }
    }

    /** One pass over a file. While all pieces are known, the file may equal one file of the earlier build, so no part is sent yet. */
    private final class Look implements Pieces.Visitor {
        private final Source source;
        private final Recipe recipe;
        private final Parts parts;
        private final long atLeast;
        private final long part;
        private boolean mayBeWhole;
        private long lookedAt;

        Look(Source source, Recipe recipe, Parts parts, boolean mayBeWhole) {
            this.source = source;
            this.recipe = recipe;
            this.parts = parts;
            this.mayBeWhole = mayBeWhole;
            atLeast = Math.min(patience, source.size() / 4);
            part = Math.max(PART, source.size() / MOST_PARTS);
        }

        @Override
        public boolean nested(long from, long length) throws IOException {
            boolean known = offer.mayHave(length) && add(from, length, Hash.key(source, from, length));
            goesOn(known ? from + length : from);
            return known;
        }

        @Override
        public boolean piece(long from, byte[] bytes, int offset, int length) throws IOException {
            boolean known = offer.mayHave(length) && add(from, length, Hash.key(bytes, offset, length));
            mayBeWhole &= known || offer.isFull();
            if (recipe.known() > 0) {
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
            boolean enough = recipe.known() > at / LITTLE;
            if (enough && !mayBeWhole && at - recipe.begin() >= part && at < source.size()) {
                recipe.end(at);
                parts.add(recipe);
            }
            return at < atLeast || enough;
        }
    }
}
