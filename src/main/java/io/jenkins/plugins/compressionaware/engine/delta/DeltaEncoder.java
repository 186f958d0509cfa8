package io.jenkins.plugins.compressionaware.engine.delta;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import java.io.IOException;
import java.nio.file.Path;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Looks up the chunks of each file in the signature of the reference build, and encodes the file as a delta if that saves time. Runs on the
 * agent, in one thread.
 */
@Restricted(NoExternalUse.class)
public final class DeltaEncoder implements EntryEncoder {
    /** Time to cut a file into chunks, without hashing, nanoseconds per byte. */
    private static final double CHUNKING_NANOS_PER_BYTE = 0.6;

    /** Maximum time of the lookups in a file, as a share of the time to send the file. */
    private static final double MAX_LOOKUP_SHARE = 0.8;

    /** Divisor of a file's length. The file is sent as a delta only if more bytes than the quotient are reused. */
    private static final int MIN_REUSE_DIVISOR = 16;

    /** Maximum share of the reference build's transfer time that fruitless lookups may take, over all files. */
    private static final double MAX_FRUITLESS_SHARE = 0.02;

    /** Time of a lookup, nanoseconds per byte: 1 to 2 in warm JVMs, 6 in a JVM that has just started. */
    private static final double LOOKUP_NANOS_PER_BYTE = 3;

    /** Minimum bytes of the file that a part of its delta covers, except the last part. */
    private static final long MIN_PART_BYTES = 4 << 20;

    /** Maximum number of parts of a delta. Each part has a header, and the receiver limits the total of headers. */
    private static final int MAX_PARTS = 32;

    private final Signature signature;
    private final long maxFruitlessBytes;
    private long reusableBytesLeft;
    /** Bytes that fruitless lookups may still read. */
    private long fruitlessBytesLeft;

    private DeltaEncoder(Signature signature) {
        this.signature = signature;
        reusableBytesLeft = signature.reuseLimit;
        long archived = (signature.reuseLimit - ChunkIndex.EXTRA_REUSE_BYTES) / 2;
        maxFruitlessBytes = (long) (MAX_FRUITLESS_SHARE * archived * signature.nanosPerRaw / LOOKUP_NANOS_PER_BYTE);
        fruitlessBytesLeft = maxFruitlessBytes;
    }

    /**
     * Returns the encoder for a transfer.
     *
     * @param signature result of {@link ChunkIndex#signature}; null if there is no reference build
     * @return {@link #NONE} without a signature, or if hashing files on this agent takes longer than sending them
     */
    public static EntryEncoder of(@CheckForNull byte[] signature) throws IOException {
        Signature decoded = signature == null ? null : new Signature(signature);
        boolean pays = decoded != null
                && ChunkHash.isFasterThan(MAX_LOOKUP_SHARE * decoded.nanosPerRaw - CHUNKING_NANOS_PER_BYTE);
        return pays ? new DeltaEncoder(decoded) : NONE;
    }

    @Override
    public boolean encode(Path path, long size, Parts parts) throws IOException {
        boolean mayBeKnown = signature.mayContainLength(size);
        boolean small = size <= Chunker.MIN_SPLIT_BYTES;
        boolean worthwhile = size >= Chunker.MIN_CHUNK
                && size <= reusableBytesLeft
                && ArchiveStats.NANOS_PER_FILE <= MAX_LOOKUP_SHARE * signature.nanosPerRaw * size;
        if (!worthwhile || !mayBeKnown && (small || fruitlessBytesLeft <= 0)) {
            return false;
        }
        try (SeekableFileReader source = new SeekableFileReader(path, size, SeekableFileReader.WINDOW)) {
            Delta delta = new Delta(source);
            Lookup lookup = new Lookup(source, delta, parts, mayBeKnown);
            if (!source.isAsExpected()) {
                return false;
            }
            boolean all = small || Chunker.visit(source, lookup);
            fruitlessBytesLeft = Math.min(
                    maxFruitlessBytes,
                    fruitlessBytesLeft - lookup.lookedUpBytes + MIN_REUSE_DIVISOR * delta.reusedBytes);
            int whole = all && lookup.mayBeWhole ? signature.find(size, delta.key()) : -1;
            if (whole >= 0) {
                delta.replaceBy(whole);
            } else if (delta.isFirst() && !(all && delta.reusedBytes > size / MIN_REUSE_DIVISOR)) {
                return false;
            }
            delta.end = size;
            parts.add(delta);
            reusableBytesLeft -= delta.reusedBytes;
            return true;
        }
    }

    /**
     * One pass over a file. While all its chunks are known, the file may equal a file of the reference build, so parts are added only after
     * the first unknown chunk.
     */
    private final class Lookup implements Chunker.Visitor {
        private final SeekableFileReader source;
        private final Delta delta;
        private final Parts parts;
        private final long alwaysLookedUpBytes;
        private final long partBytes;
        private boolean mayBeWhole;
        private long lookedUpBytes;

        Lookup(SeekableFileReader source, Delta delta, Parts parts, boolean mayBeWhole) {
            this.source = source;
            this.delta = delta;
            this.parts = parts;
            this.mayBeWhole = mayBeWhole;
            alwaysLookedUpBytes = Math.min(fruitlessBytesLeft, source.size / 4);
            partBytes = Math.max(MIN_PART_BYTES, source.size / MAX_PARTS);
        }

        @Override
        public boolean nested(long from, long length) throws IOException {
            boolean known =
                    signature.mayContainLength(length) && add(from, length, ChunkHash.key(source, from, length));
            advanceTo(known ? from + length : from);
            return known;
        }

        @Override
        public boolean chunk(long from, byte[] bytes, int offset, int length) throws IOException {
            boolean known =
                    signature.mayContainLength(length) && add(from, length, ChunkHash.key(bytes, offset, length));
            mayBeWhole = mayBeWhole && (known || signature.isFull());
            if (delta.reusedBytes > 0) {
                delta.hash(from, bytes, offset, length);
            }
            return advanceTo(from + length);
        }

        private boolean add(long from, long length, long key) {
            int chunk = signature.find(length, key);
            return chunk >= 0 && delta.add(from, length, chunk);
        }

        private boolean advanceTo(long at) throws IOException {
            lookedUpBytes = at;
            boolean enough = delta.reusedBytes > at / MIN_REUSE_DIVISOR;
            if (enough && !mayBeWhole && at - delta.begin >= partBytes && at < source.size) {
                delta.end = at;
                parts.add(delta);
            }
            return at < alwaysLookedUpBytes || enough;
        }
    }
}
