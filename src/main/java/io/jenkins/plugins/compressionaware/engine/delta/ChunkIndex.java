package io.jenkins.plugins.compressionaware.engine.delta;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Index of a build's archive, on the controller: key and position of each file and of its chunks. Errors in an index are harmless, because
 * each rebuilt file must have the SHA-256 of the original.
 */
@Restricted(NoExternalUse.class)
public final class ChunkIndex {
    /** Name of the index file beside a build's archive. The file is deleted with the build. */
    public static final String FILE = "archive.chunks";

    /** Maximum number of chunks; others are not indexed. The maximum covers 4 GB, with a signature of 2.6 MB. */
    static final int MAX_CHUNKS = 1 << 18;

    /** Maximum depth of folders; deeper files are not indexed, because the walk keeps two descriptors per folder open. */
    private static final int MAX_DEPTH = 100;

    /** Maximum bytes of all names; further files are not indexed. */
    private static final int MAX_NAME_BYTES = 8 << 20;

    /** Maximum length of an index file in bytes: names, chunks and the fields around them. */
    private static final int MAX_FILE_BYTES = MAX_NAME_BYTES + MAX_CHUNKS * 28 + 1024;

    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final int MAGIC = 0x43415049;
    private static final byte VERSION = 4;

    /** Bytes that the deltas of a transfer may reuse in addition to twice the archive. */
    static final long EXTRA_REUSE_BYTES = 64 << 20;

    private static final Pattern WITH_DIGITS = Pattern.compile("(?<![A-Za-z0-9])[A-Za-z]*+[0-9][A-Za-z0-9]*+");

    private final ArchiveStats stats;
    private final List<String> files;
    /** Four numbers per chunk: number of its file, position there, length and key. */
    private final long[] chunks;

    private ChunkIndex(ArchiveStats stats, List<String> files, long[] chunks) {
        this.stats = stats;
        this.files = files;
        this.chunks = chunks;
    }

    public ArchiveStats stats() {
        return stats;
    }

    /** Returns the statistics for an archive of files with these names. Assumes that each file is as long as archived files with similar names on average. */
    public ArchiveStats stats(Collection<String> names) {
        Map<String, Double> lengths = wholeFiles()
                .boxed()
                .collect(Collectors.groupingBy(i -> similar(fileOf(i)), Collectors.averagingLong(this::length)));
        double[] known = names.stream()
                .mapToDouble(name -> lengths.getOrDefault(similar(name), 0.0))
                .filter(length -> length > 0)
                .toArray();
        return stats.of(known.length, (long) DoubleStream.of(known).sum());
    }

    /** Replaces words that contain digits, because versions, build numbers and hashes differ between builds. */
    private static String similar(String name) {
        return WITH_DIGITS.matcher(name).replaceAll("0");
    }

    /** Returns the chunks that are whole files, which are the first ones of each file. */
    private IntStream wholeFiles() {
        return IntStream.range(0, chunkCount()).filter(chunk -> chunk == 0 || file(chunk) != file(chunk - 1));
    }

    int chunkCount() {
        return chunks.length / 4;
    }

    /** Returns the number of the file that contains a chunk. */
    int file(int chunk) {
        return (int) chunks[4 * chunk];
    }

    /** Returns the name of the file that contains a chunk, relative to the archive and with forward slashes. */
    String fileOf(int chunk) {
        return files.get(file(chunk));
    }

    long from(int chunk) {
        return chunks[4 * chunk + 1];
    }

    long length(int chunk) {
        return chunks[4 * chunk + 2];
    }

    long key(int chunk) {
        return chunks[4 * chunk + 3];
    }

    /** Returns how many bytes the deltas of one transfer may reuse, so that a delta that repeats a chunk cannot fill the disk. */
    long reuseLimit() {
        return 2 * wholeFiles().mapToLong(this::length).sum() + EXTRA_REUSE_BYTES;
    }

    /** Returns the approximate length of {@link #signature} in bytes. */
    public long signatureBytes() {
        return Signature.BYTES_PER_CHUNK * (long) chunkCount();
    }

    /**
     * Returns the signature for an agent.
     *
     * @param nanosPerByte nanoseconds per wire byte from that agent
     */
    public byte[] signature(double nanosPerByte) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(chunkCount() * (Signature.BYTES_PER_CHUNK + 1) + 32);
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeLong(reuseLimit());
        out.writeDouble(nanosPerByte * stats.wirePerRaw());
        out.writeInt(chunkCount());
        for (int i = 0; i < chunkCount(); i++) {
            Varint.write(out, length(i));
        }
        for (int i = 0; i < chunkCount(); i++) {
            out.writeLong(key(i));
        }
        return bytes.toByteArray();
    }

    public static ChunkIndex withoutChunks(ArchiveStats stats) {
        return new ChunkIndex(stats, List.of(), new long[0]);
    }

    /**
     * Indexes an archive. Unreadable files, and entries other than regular files, are not indexed.
     *
     * @throws IOException also if the calling thread is interrupted
     */
    public static ChunkIndex of(Path archive, ArchiveStats stats) throws IOException {
        Path real = archive.toRealPath();
        Builder builder = new Builder(real);
        Files.walkFileTree(real, Set.of(), MAX_DEPTH, builder);
        return new ChunkIndex(stats, builder.files, builder.chunks.build().toArray());
    }

    private static final class Builder extends SimpleFileVisitor<Path> {
        private final Path archive;
        private final List<String> files = new ArrayList<>();
        private final Set<Long> known = new HashSet<>();
        private final LongStream.Builder chunks = LongStream.builder();
        private int count;
        private int names;

        Builder(Path archive) {
            this.archive = archive;
        }

        @Override
        public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) throws IOException {
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException();
            }
            String name = archive.relativize(path).toString().replace(File.separatorChar, '/');
            if (count == MAX_CHUNKS) {
                return FileVisitResult.TERMINATE;
            }
            if (attributes.isRegularFile()
                    && attributes.size() >= Chunker.MIN_CHUNK
                    && names + 3 * name.length() <= MAX_NAME_BYTES) {
                names += 3 * name.length() + 2;
                files.add(name);
                try (SeekableFileReader source = new SeekableFileReader(
                        path, attributes.size(), SeekableFileReader.WINDOW, LinkOption.NOFOLLOW_LINKS)) {
                    add(source);
                } catch (InterruptedIOException e) {
                    throw e;
                } catch (IOException e) {
                    // the file was deleted or replaced; each rebuilt file is verified
                }
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path path, IOException e) {
            return FileVisitResult.CONTINUE;
        }

        private void add(SeekableFileReader source) throws IOException {
            // the whole file is the first chunk, even if another file is equal: reuseLimit() needs its length
            long whole = ChunkHash.key(source, 0, source.size);
            put(0, source.size, whole);
            known.add(whole);
            if (source.size <= Chunker.MIN_SPLIT_BYTES && !ZipEntryScanner.looksLikeZip(source, 0, source.size)) {
                return; // the whole file is its only chunk
            }
            Chunker.visit(source, new Chunker.Visitor() {
                @Override
                public boolean nested(long from, long length) throws IOException {
                    return !addNew(from, length, ChunkHash.key(source, from, length));
                }

                @Override
                public boolean chunk(long from, byte[] bytes, int offset, int length) {
                    return addNew(from, length, ChunkHash.key(bytes, offset, length)) || count < MAX_CHUNKS;
                }
            });
        }

        private boolean addNew(long from, long length, long key) {
            if (count == MAX_CHUNKS || !known.add(key)) {
                return false;
            }
            put(from, length, key);
            return true;
        }

        private void put(long from, long length, long key) {
            chunks.add(files.size() - 1L).add(from).add(length).add(key);
            count++;
        }
    }

    /** Writes the index to a file atomically. */
    public void write(Path target) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(MAGIC);
        out.writeByte(VERSION);
        stats.write(out);
        out.writeInt(files.size());
        for (String name : files) {
            out.writeUTF(name);
        }
        out.writeInt(chunkCount());
        for (int i = 0; i < chunkCount(); i++) {
            out.writeInt(file(i));
            out.writeLong(from(i));
            out.writeLong(length(i));
            out.writeLong(key(i));
        }
        CRC32C sum = new CRC32C();
        sum.update(bytes.toByteArray());
        out.writeInt((int) sum.getValue());
        Path partial = target.resolveSibling("." + target.getFileName() + ".partial");
        boolean hasModes = partial.getFileSystem().supportedFileAttributeViews().contains("posix");
        try {
            Files.deleteIfExists(partial);
            // only Jenkins may read it, because only Jenkins may read some of the archived files
            Files.createFile(partial, hasModes ? new FileAttribute<?>[] {OWNER_ONLY} : new FileAttribute<?>[0]);
            Files.write(partial, bytes.toByteArray());
            Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    /**
     * Reads an index.
     *
     * @return null if there is no usable index
     */
    @CheckForNull
    public static ChunkIndex read(Path path) {
        try {
            if (Files.size(path) > MAX_FILE_BYTES) {
                return null;
            }
            ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(path));
            int length = bytes.limit() - Integer.BYTES;
            CRC32C sum = new CRC32C();
            sum.update(bytes.limit(length));
            return bytes.clear().getInt(length) == (int) sum.getValue() ? read(bytes.limit(length)) : null;
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    @CheckForNull
    private static ChunkIndex read(ByteBuffer bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.array(), 0, bytes.limit()));
        if (in.readInt() != MAGIC || in.readByte() != VERSION) {
            return null;
        }
        ArchiveStats stats = ArchiveStats.read(in);
        int names = in.readInt();
        List<String> files = new ArrayList<>();
        while (files.size() < names) {
            files.add(in.readUTF());
        }
        int count = in.readInt();
        if (count < 0 || count > MAX_CHUNKS) {
            return null;
        }
        long[] chunks = new long[4 * count];
        // a young JVM reads chunks from the stream slowly: 80 ms for 67,000 chunks
        bytes.position(bytes.limit() - in.available());
        for (int i = 0; i < chunks.length; i++) {
            chunks[i] = i % 4 == 0 ? bytes.getInt() : bytes.getLong();
        }
        for (int i = 0; i < chunks.length; i += 4) {
            // invalid chunks could make a decoder loop or evade the reuse limit
            if (chunks[i] < 0 || chunks[i] >= names || chunks[i + 2] < Chunker.MIN_CHUNK) {
                return null;
            }
        }
        return new ChunkIndex(stats, files, chunks);
    }
}
