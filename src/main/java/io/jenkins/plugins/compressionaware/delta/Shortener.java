package io.jenkins.plugins.compressionaware.delta;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.nio.file.Path;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Finds what need not be sent of a file. On the agent, used by one thread. */
@Restricted(NoExternalUse.class)
public final class Shortener {
    /** What cutting takes beside hashing, nanoseconds per byte. */
    private static final double CUTTING = 0.6;

    /** Of the time that a byte takes to be sent, what may be spent on looking it up. */
    private static final double WORTH = 0.8;

    /** A file of which less is known is sent as it is: one part in so many. */
    private static final int LITTLE = 16;

    /** Bytes after which that is looked at. */
    private static final long LOOK = 16 << 20;

    private final Offer offer;
    private long left;

    private Shortener(Offer offer) {
        this.offer = offer;
        left = offer.allowance;
    }

    /**
     * For a transfer.
     *
     * @param offer what the controller has told
     * @return null if nothing is gained here
     */
    @CheckForNull
    public static Shortener of(byte[] offer) throws IOException {
        Offer pieces = Offer.decode(offer);
        return 2 * Hash.nanosPerByte() + CUTTING > WORTH * pieces.nanosPerRaw ? null : new Shortener(pieces);
    }

    /**
     * What to send in place of a file.
     *
     * @return null for the file itself
     * @throws IOException if it cannot be read
     */
    @CheckForNull
    public Recipe recipe(Path path, long size) throws IOException {
        if (size < Pieces.SMALLEST || size > left) {
            return null;
        }
        boolean mayBeThere = offer.mayHave(size);
        boolean mayHavePieces = size > 2 * ContentCut.USUAL;
        if (!mayBeThere && !mayHavePieces) {
            return null;
        }
        try (Source source = new Source(path, size, Source.WINDOW)) {
            Recipe recipe = new Recipe(path, size);
            byte[] hash = null;
            if (mayBeThere) {
                hash = Hash.of(source);
                int whole = offer.find(size, Hash.prefix(hash));
                if (whole >= 0) {
                    recipe.add(0, size, whole);
                }
            }
            if (recipe.known() == 0 && !(mayHavePieces && addPieces(source, recipe))) {
                return null;
            }
            recipe.is(hash == null ? Hash.of(source) : hash);
            left -= recipe.known();
            return recipe;
        }
    }

    private boolean addPieces(Source source, Recipe recipe) throws IOException {
        boolean all = Pieces.visit(source, new Pieces.Visitor() {
            @Override
            public boolean nested(long from, long length) throws IOException {
                return offer.mayHave(length) && add(from, length, Hash.of(source, from, length));
            }

            private boolean add(long from, long length, byte[] hash) {
                int piece = offer.find(length, Hash.prefix(hash));
                return piece >= 0 && recipe.add(from, length, piece);
            }

            @Override
            public boolean piece(long from, byte[] bytes, int offset, int length) {
                if (offer.mayHave(length)) {
                    add(from, length, Hash.of(bytes, offset, length));
                }
                return from < LOOK || recipe.known() > from / LITTLE;
            }
        });
        return all && recipe.known() > source.size() / LITTLE;
    }
}
