package io.jenkins.plugins.compressionaware.engine.delta;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.run.JvmLimits;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.engine.tar.EntryRejectedException;
import io.jenkins.plugins.compressionaware.engine.tar.ReferenceMismatchException;
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
 * Rebuilds files from chunks of the reference build's archive, as deltas describe them. Agents are not trusted, so a rebuilt file must have
 * the SHA-256 that its delta names. Used by one thread, but any thread may close it, without waiting for the disk.
 */
@Restricted(NoExternalUse.class)
public final class ReferenceArchive implements EntryDecoder, Closeable {
    /** Heap per byte of an index file, which is held as bytes, as arrays and as a signature. The largest index has about 8 MB. */
    private static final int HEAP_PER_BYTE = 3;

    /** Whether the JDK lets the kernel copy from file to file. JDK 18 to 20 were not tested. */
    private static final boolean KERNEL_COPY_SUPPORTED = Runtime.version().feature() >= 21;

    /** File systems on which a copy may share blocks with the original. On others, a copy would only be read once more. */
    private static final Set<String> REFLINKS = Set.of("xfs", "btrfs", "bcachefs", "zfs", "ocfs2", "apfs");

    /** Bytes to read at a time. Few, because the next chunk may be anywhere. */
    private static final int READ_AHEAD_BYTES = 32 * 1024;

    private final Path root;
    private final ChunkIndex index;
    private final String agent;
    private final int heapKibibytes;
    private final boolean reflinks;
    private long allowance;
    private long reusedBytes;

    private ReferenceArchive(Path root, ChunkIndex index, String agent, int heapKibibytes) {
        this.root = root;
        this.index = index;
        this.agent = agent;
        this.heapKibibytes = heapKibibytes;
        reflinks = hasReflinks(root);
        allowance = index.reuseLimit();
    }

    /**
     * Opens an archive.
     *
     * @param agent name of the agent that sends
     * @param index file beside the archive
     * @return null if there is no usable index, or no heap for it
     */
    @CheckForNull
    public static ReferenceArchive open(String agent, Path archive, Path index) {
        int heap = 0;
        ReferenceArchive opened = null;
        try {
            int wanted = JvmLimits.kibibytes(HEAP_PER_BYTE * Files.size(index));
            if (JvmLimits.INDEX_KIBIBYTES.tryAcquire(agent, wanted)) {
                heap = wanted;
                ChunkIndex read = ChunkIndex.read(index);
                opened = read == null ? null : new ReferenceArchive(archive.toRealPath(), read, agent, heap);
            }
        } catch (IOException e) {
            // handled like a missing index
        } finally {
            if (opened == null) {
                JvmLimits.INDEX_KIBIBYTES.release(agent, heap);
            }
        }
        return opened;
    }

    /**
     * Returns whether a copied file may share blocks with the original, judging by the type of the file system. XFS and ZFS may be formatted without reflinks.
     */
    public static boolean hasReflinks(Path path) {
        try {
            return KERNEL_COPY_SUPPORTED
                    && mayHaveReflinks(Files.getFileStore(path).type());
        } catch (IOException e) { // for example in a container that hides its mounts
            return false;
        }
    }

    static boolean mayHaveReflinks(String fileSystem) {
        return REFLINKS.contains(fileSystem);
    }

    public ChunkIndex index() {
        return index;
    }

    /** Returns the bytes reused so far, in complete files. */
    public long reusedBytes() {
        return reusedBytes;
    }

    @Override
    public void close() {
        JvmLimits.INDEX_KIBIBYTES.release(agent, heapKibibytes);
    }

    @Override
    public DeltaInputStream decode(InputStream delta) throws IOException {
        return new DeltaInputStream(new DataInputStream(delta));
    }

    /** Rebuilds a file from a delta and verifies its SHA-256. Closed by the thread that reads it. */
    public final class DeltaInputStream extends Content {
        private final DataInputStream delta;
        private final long size;
        private final MessageDigest digest = ChunkHash.digest();
        private long left;
        private long bytesLeft;
        private int chunk;
        private long chunksLeft;
        private long chunkDone;
        private long copied;

        @CheckForNull
        private SeekableFileReader open;

        private int openFile;

        private DeltaInputStream(DataInputStream delta) throws IOException {
            this.delta = delta;
            size = Varint.read(delta);
            left = size;
            if (size == 0) {
                throw new EntryRejectedException("the delta is for an empty file");
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
            // a few bytes of a delta can cause much work, so an abort must interrupt it
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException();
            }
            begin();
            int n = bytesLeft > 0 ? readBytes(target, offset, length) : readChunk(target, offset, length);
            digest.update(target, offset, n);
            left -= n;
            if (left == 0) {
                end();
            }
            return n;
        }

        /** Copies a file that equals a file of the reference build, so that both share blocks on disk. */
        @Override
        public boolean copyTo(Path target, OutputStream out) throws IOException {
            begin();
            if (!reflinks || chunksLeft != 1 || index.from(chunk) != 0 || index.length(chunk) != size) {
                return false;
            }
            chargeAllowance(size);
            try (InputStream in = Files.newInputStream(verifiedFile(chunk), LinkOption.NOFOLLOW_LINKS)) {
                copied = in.transferTo(out);
                try (SeekableFileReader copy =
                        new SeekableFileReader(target, copied, SeekableFileReader.WINDOW, LinkOption.NOFOLLOW_LINKS)) {
                    copy.read(0, copied, digest::update);
                }
            } catch (IOException | RuntimeException e) {
                throw e instanceof InterruptedIOException ended ? ended : new ReferenceMismatchException(e);
            }
            end();
            return true;
        }

        private void begin() throws IOException {
            if (bytesLeft > 0 || chunksLeft > 0) {
                return;
            }
            long instruction = Varint.read(delta);
            if ((instruction & 1) == 0) {
                bytesLeft = instruction >>> 1;
                if (bytesLeft == 0 || bytesLeft > left) {
                    throw new EntryRejectedException("the delta yields more bytes than its file has");
                }
                return;
            }
            long first = Varint.read(delta);
            chunksLeft = instruction >>> 1;
            if (chunksLeft == 0 || first >= index.chunkCount() || chunksLeft > index.chunkCount() - first) {
                throw new EntryRejectedException("the delta names a chunk that is not in the signature");
            }
            chunk = (int) first;
            chunkDone = 0;
        }

        private int readBytes(byte[] target, int offset, int length) throws IOException {
            int n = delta.read(target, offset, (int) Math.min(length, bytesLeft));
            if (n < 0) {
                throw new EOFException("the delta ends " + left + " bytes too early");
            }
            bytesLeft -= n;
            return n;
        }

        private int readChunk(byte[] target, int offset, int length) throws IOException {
            long whole = index.length(chunk);
            if (chunkDone == 0) {
                chargeAllowance(whole);
            }
            int n = (int) Math.min(length, whole - chunkDone);
            try {
                source().read(index.from(chunk) + chunkDone, target, offset, n);
            } catch (IOException | RuntimeException e) {
                throw e instanceof InterruptedIOException ended ? ended : new ReferenceMismatchException(e);
            }
            copied += n;
            chunkDone += n;
            if (chunkDone == whole) {
                chunkDone = 0;
                chunk++;
                chunksLeft--;
            }
            return n;
        }

        private void chargeAllowance(long bytes) throws EntryRejectedException {
            allowance -= bytes;
            if (bytes > left || allowance < 0) {
                throw new EntryRejectedException(
                        "the delta yields more bytes than its file has, or reuses too many bytes");
            }
        }

        private void end() throws IOException {
            byte[] hash = delta.readNBytes(ChunkHash.LENGTH);
            if (hash.length < ChunkHash.LENGTH || delta.read() >= 0) {
                throw new EntryRejectedException("the delta ends too early, or continues after its file");
            }
            if (!MessageDigest.isEqual(hash, digest.digest())) {
                throw new ReferenceMismatchException(null);
            }
            reusedBytes += copied;
        }

        private SeekableFileReader source() throws IOException {
            if (open == null || openFile != index.file(chunk)) {
                close();
                Path path = verifiedFile(chunk);
                open = new SeekableFileReader(path, Files.size(path), READ_AHEAD_BYTES, LinkOption.NOFOLLOW_LINKS);
                openFile = index.file(chunk);
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

    /** Returns the path of the file that contains a chunk. Fails if the file, or a folder above it, has become a link. */
    private Path verifiedFile(int chunk) throws IOException {
        Path path = root.resolve(index.fileOf(chunk)).normalize();
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
                || !path.startsWith(root)
                || !path.toRealPath().equals(path)) {
            throw new IOException(path + " is no longer a regular file of the archive");
        }
        return path;
    }
}
