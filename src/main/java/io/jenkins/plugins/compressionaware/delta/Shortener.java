package io.jenkins.plugins.compressionaware.delta;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Finds what need not be sent of a file. On the agent, used by one thread. */
@Restricted(NoExternalUse.class)
public final class Shortener {
    /** What cutting takes beside hashing, nanoseconds per byte. */
    private static final double CUTTING = 0.6;

    /** Of the time that it takes to send a file, what may be spent on looking it up. */
    private static final double WORTH = 0.8;

    /** A file of which less is known is sent as it is: one part in so many. */
    private static final int LITTLE = 16;

    /** Bytes after which that is looked at: these, or a quarter of the file, since where nothing is known the look costs up to 8 % at 100 Mbit/s. */
    private static final long LOOK = 16 << 20;

    /** A larger file is then hashed by another thread while this one looks on: else that takes half as long again. */
    private static final long LARGE = 1 << 20;

    private final Offer offer;
    private final Executor hashing;
    private long left;

    private Shortener(Offer offer, Executor hashing) {
        this.offer = offer;
        this.hashing = hashing;
        left = offer.allowance;
    }

    /**
     * For a transfer.
     *
     * @param offer   what the controller has told
     * @param hashing has one more thread for large files; may refuse
     * @return null if nothing is gained here
     */
    @CheckForNull
    public static Shortener of(byte[] offer, Executor hashing) throws IOException {
        Offer pieces = Offer.decode(offer);
        return 2 * Hash.nanosPerByte() + CUTTING > WORTH * pieces.nanosPerRaw ? null : new Shortener(pieces, hashing);
    }

    /**
     * What to send in place of a file.
     *
     * @return null for the file itself
     * @throws IOException if it cannot be read
     */
    @CheckForNull
    public Recipe recipe(Path path, long size) throws IOException {
        boolean mayBeThere = offer.mayHave(size);
        boolean mayHavePieces = size > 2 * ContentCut.USUAL;
        boolean worth = size >= Pieces.SMALLEST && size <= left && Facts.FILE <= WORTH * offer.nanosPerRaw * size;
        if (!worth || !mayBeThere && !mayHavePieces) {
            return null;
        }
        FutureTask<byte[]> hash = new FutureTask<>(() -> {
            try (Source source = new Source(path, size, Source.WINDOW)) {
                return Hash.of(source);
            }
        });
        try (Source source = new Source(path, size, Source.WINDOW)) {
            Recipe recipe = new Recipe(path, size);
            if (mayBeThere) {
                int whole = offer.find(size, Hash.prefix(result(hash)));
                if (whole >= 0) {
                    recipe.add(0, size, whole);
                }
            }
            if (recipe.known() == 0 && !(mayHavePieces && addPieces(source, recipe, hash))) {
                return null;
            }
            recipe.is(result(hash));
            left -= recipe.known();
            return recipe;
        } finally {
            hash.cancel(true);
        }
    }

    private void begin(Runnable hash) {
        try {
            hashing.execute(hash);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // this thread does it
        }
    }

    private static byte[] result(FutureTask<byte[]> hash) throws IOException {
        // unless another thread has begun it
        hash.run();
        try {
            return hash.get();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
    }

    private boolean addPieces(Source source, Recipe recipe, Runnable hash) throws IOException {
        long look = Math.min(LOOK, source.size() / 4);
        boolean all = Pieces.visit(source, new Pieces.Visitor() {
            private boolean begun = source.size() <= LARGE;

            @Override
            public boolean nested(long from, long length) throws IOException {
                boolean known = offer.mayHave(length) && add(from, length, Hash.of(source, from, length));
                goesOn(from);
                return known;
            }

            private boolean goesOn(long from) {
                boolean enough = recipe.known() > from / LITTLE;
                if (from >= look && enough && !begun) {
                    begun = true;
                    begin(hash);
                }
                return from < look || enough;
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
                return goesOn(from);
            }
        });
        return all && recipe.known() > source.size() / LITTLE;
    }
}
