package io.jenkins.plugins.compressionaware.engine.delta;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.engine.tar.EntryRejectedException;
import io.jenkins.plugins.compressionaware.engine.flow.JvmLimits;
import io.jenkins.plugins.compressionaware.engine.tar.UnfitException;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Set;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The archive of an earlier build on this disk. Builds files from pieces that an agent names. Agents are not trusted, so a file must have the SHA-256
 * that the agent named. Used by one thread; any thread may close it, which does not wait for a disk.
 */
@Restricted(NoExternalUse.class)
public final class ReferenceArchive implements EntryDecoder, Closeable {
    /**
     * Bytes of heap per byte of an index file: once as it is read, once as arrays, and once as an offer. An index of {@value ChunkIndex#MAX_CHUNKS} pieces
     * has about 8 MB.
     */
    private static final int HEAP_PER_BYTE = 3;

    /** From JDK 21 on, the system copies from file to file; JDK 18 to 20 were not tried. */
    private static final boolean KERNEL_COPY_SUPPORTED = Runtime.version().feature() >= 21;

    /** File systems on which a copy may share its blocks; on others, a copy would only be read once more. */
    private static final Set<String> REFLINKS = Set.of("xfs", "btrfs", "bcachefs", "zfs", "ocfs2", "apfs");

    /** Bytes to read at a time: few, since the next piece may be anywhere. */
    private static final int READ_AHEAD_BYTES = 32 * 1024;

    private final Path root;
    private final ChunkIndex index;
    private final long heap;
    private final boolean reflinks;
    private long allowance;
    private long reusedBytes;

    private ReferenceArchive(Path root, ChunkIndex index, long heap) {
        this.root = root;
        this.index = index;
        this.heap = heap;
        reflinks = hasReflinks(root);
        allowance = index.reuseLimit();
    }

    /**
     * Opens an archive.
     *
     * @param index file beside the archive
     * @return null if the archive has no usable index, or there is no heap for it
     */
    @CheckForNull
    public static ReferenceArchive open(Path archive, Path index) {
        long heap = 0;
        ReferenceArchive opened = null;
        try {
            long wanted = HEAP_PER_BYTE * Files.size(index);
            if (JvmLimits.takeForIndex(wanted)) {
                heap = wanted;
                ChunkIndex read = ChunkIndex.read(index);
                opened = read == null ? null : new ReferenceArchive(archive.toRealPath(), read, heap);
            }
        } catch (IOException e) {
            // as if there were none
        } finally {
            if (opened == null) {
                JvmLimits.takeForIndex(-heap);
            }
        }
        return opened;
    }

    /** Whether a copied file may share blocks with the original, by the type of the file system. XFS and ZFS can be made without reflinks. */
    public static boolean hasReflinks(Path path) {
        try {
            return KERNEL_COPY_SUPPORTED
                    && mayHaveReflinks(Files.getFileStore(path).type());
        } catch (IOException e) { // as in a container that hides its mounts
            return false;
        }
    }

    static boolean mayHaveReflinks(String fileSystem) {
        return REFLINKS.contains(fileSystem);
    }

    public ChunkIndex index() {
        return index;
    }

    /** Bytes copied from this archive into complete files so far. */
    public long reusedBytes() {
        return reusedBytes;
    }

    @Override
    public void close() {
        JvmLimits.takeForIndex(-heap);
    }

    @Override
    public DeltaInputStream decode(InputStream recipe) throws IOException {
        return new DeltaInputStream(new DataInputStream(recipe));
    }

    /** Verifies the file by the recipe's hash. Its own thread closes it. */
    public final class DeltaInputStream extends Content {
        private final DataInputStream recipe;
        private final long size;
        private final MessageDigest digest = ChunkHash.digest();
        private long left;
        private long bytesLeft;
        private int piece;
        private long piecesLeft;
        private long pieceDone;
        private long copied;

        @CheckForNull
        private SeekableFileReader open;

        private int openFile;

        private DeltaInputStream(DataInputStream recipe) throws IOException {
            if (recipe.readByte() != Delta.VERSION) {
                throw new EntryRejectedException("the recipe has an unknown version");
            }
            this.recipe = recipe;
            size = Varint.read(recipe);
            left = size;
            if (size == 0) {
                throw new EntryRejectedException("the recipe is for an empty file");
            }
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (left == 0 || length == 0) {
                return length == 0 ? 0 : -1;
            }
            // a few bytes of recipe can cause much work, so an abort must stop it
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException();
            }
            begin();
            int n = bytesLeft > 0 ? readBytes(target, offset, length) : readPiece(target, offset, length);
            digest.update(target, offset, n);
            left -= n;
            if (left == 0) {
                end();
            }
            return n;
        }

        /** Copies a file that equals one file of the earlier build: the two share blocks of the disk. */
        @Override
        public boolean copyTo(Path target, OutputStream out) throws IOException {
            begin();
            if (!reflinks || piecesLeft != 1 || index.from(piece) != 0 || index.length(piece) != size) {
                return false;
            }
            chargeAllowance(size);
            try (InputStream in = Files.newInputStream(verifiedFile(piece), LinkOption.NOFOLLOW_LINKS)) {
                copied = in.transferTo(out);
                try (SeekableFileReader copy =
                        new SeekableFileReader(target, copied, SeekableFileReader.WINDOW, LinkOption.NOFOLLOW_LINKS)) {
                    copy.read(0, copied, digest::update);
                }
            } catch (IOException | RuntimeException e) {
                throw e instanceof InterruptedIOException ended ? ended : new UnfitException(e);
            }
            end();
            return true;
        }

        private void begin() throws IOException {
            if (bytesLeft > 0 || piecesLeft > 0) {
                return;
            }
            long run = Varint.read(recipe);
            if ((run & 1) == 0) {
                bytesLeft = run >>> 1;
                if (bytesLeft == 0 || bytesLeft > left) {
                    throw new EntryRejectedException("the recipe makes more than its file");
                }
                return;
            }
            long first = Varint.read(recipe);
            piecesLeft = run >>> 1;
            if (piecesLeft == 0 || first >= index.pieces() || piecesLeft > index.pieces() - first) {
                throw new EntryRejectedException("the recipe names a piece that was not offered");
            }
            piece = (int) first;
            pieceDone = 0;
        }

        private int readBytes(byte[] target, int offset, int length) throws IOException {
            int n = recipe.read(target, offset, (int) Math.min(length, bytesLeft));
            if (n < 0) {
                throw new EOFException("the recipe ended " + left + " bytes too early");
            }
            bytesLeft -= n;
            return n;
        }

        private int readPiece(byte[] target, int offset, int length) throws IOException {
            long whole = index.length(piece);
            if (pieceDone == 0) {
                chargeAllowance(whole);
            }
            int n = (int) Math.min(length, whole - pieceDone);
            try {
                source().read(index.from(piece) + pieceDone, target, offset, n);
            } catch (IOException | RuntimeException e) {
                throw e instanceof InterruptedIOException ended ? ended : new UnfitException(e);
            }
            copied += n;
            pieceDone += n;
            if (pieceDone == whole) {
                pieceDone = 0;
                piece++;
                piecesLeft--;
            }
            return n;
        }

        private void chargeAllowance(long bytes) throws EntryRejectedException {
            allowance -= bytes;
            if (bytes > left || allowance < 0) {
                throw new EntryRejectedException(
                        "the recipe makes more than its file, or more than the earlier build had");
            }
        }

        private void end() throws IOException {
            byte[] hash = recipe.readNBytes(ChunkHash.LENGTH);
            if (hash.length < ChunkHash.LENGTH || recipe.read() >= 0) {
                throw new EntryRejectedException("the recipe ends too early, or goes on after its file");
            }
            if (!MessageDigest.isEqual(hash, digest.digest())) {
                throw new UnfitException(null);
            }
            reusedBytes += copied;
        }

        private SeekableFileReader source() throws IOException {
            if (open == null || openFile != index.file(piece)) {
                close();
                Path path = verifiedFile(piece);
                open = new SeekableFileReader(path, Files.size(path), READ_AHEAD_BYTES, LinkOption.NOFOLLOW_LINKS);
                openFile = index.file(piece);
            }
            return open;
        }

        @Override
        public void close() throws IOException {
            if (open != null) {
                open.close();
            }
        }
    }

    /** Path of the file with a piece. Neither it nor a folder above it may have become a link since. */
    private Path verifiedFile(int piece) throws IOException {
        Path path = root.resolve(index.fileOf(piece)).normalize();
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
                || !path.startsWith(root)
                || !path.toRealPath().equals(path)) {
            throw new IOException(path + " is not the plain file it was");
        }
        return path;
    }
}
