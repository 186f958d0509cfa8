package io.jenkins.plugins.compressionaware.engine.delta;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Lists the content of a build's archive: a key of each file and of its pieces, and where they are. It only says where to look: each file made
 * with it is compared with the hash of the whole. On the controller.
 */
@Restricted(NoExternalUse.class)
public final class ChunkIndex {
    /** Name of the file beside the archive of a build, which is deleted with the build. */
    public static final String FILE = "archive.chunks";

    /** Further pieces are left out: these are 4 GB at the usual length, for which an agent is sent 2.6 MB. */
    static final int MAX_CHUNKS = 1 << 18;

    /** Deeper content is left out: a walk keeps two descriptors per folder on its way. */
    private static final int MAX_DEPTH = 100;

    /** Most bytes of all names together; further files are left out. */
    private static final int MAX_NAME_BYTES = 8 << 20;

    /** Bytes of the longest index: names, pieces, and what is around them. */
    private static final int MAX_FILE_BYTES = MAX_NAME_BYTES + MAX_CHUNKS * 28 + 1024;

    private static final int MAGIC = 0x43415049;
    private static final byte VERSION = 4;

    /** Bytes that recipes may use beyond twice the archive. */
    static final long EXTRA_REUSE_BYTES = 64 << 20;

    private static final Pattern WITH_DIGITS = Pattern.compile("(?<![A-Za-z0-9])[A-Za-z]*+[0-9][A-Za-z0-9]*+");

    private final ArchiveStats facts;
    private final List<String> files;
    /** For each piece: number of its file, where it begins there, its length, and its key. */
    private final long[] pieces;

    private final int count;

    private ChunkIndex(ArchiveStats facts, List<String> files, long[] pieces, int count) {
        this.facts = facts;
        this.files = files;
        this.pieces = pieces;
        this.count = count;
    }

    /** Returns how the build's largest archive was transferred. */
    public ArchiveStats facts() {
        return facts;
    }

    /** Returns the facts for an archive of files with these names; each counts as long as the archived files of similar names. */
    public ArchiveStats facts(Collection<String> names) {
        Map<String, Double> lengths = IntStream.range(0, count)
                .filter(this::isWhole)
                .boxed()
                .collect(Collectors.groupingBy(i -> similar(fileOf(i)), Collectors.averagingLong(this::length)));
        double[] known = names.stream()
                .mapToDouble(name -> lengths.getOrDefault(similar(name), 0.0))
                .filter(length -> length > 0)
                .toArray();
        return facts.of(known.length, (long) DoubleStream.of(known).sum());
    }

    /** Replaces words with digits, because versions, build numbers and hashes change from build to build. */
    private static String similar(String name) {
        return WITH_DIGITS.matcher(name).replaceAll("0");
    }

    /** Whether a piece is a whole file; each file's first piece is. */
    private boolean isWhole(int piece) {
        return piece == 0 || file(piece) != file(piece - 1);
    }

    int pieces() {
        return count;
    }

    /** Number of the file that has a piece. */
    int file(int piece) {
        return (int) pieces[4 * piece];
    }

    /** Name in the archive of the file that has a piece, with forward slashes. */
    String fileOf(int piece) {
        return files.get(file(piece));
    }

    long from(int piece) {
        return pieces[4 * piece + 1];
    }

    long length(int piece) {
        return pieces[4 * piece + 2];
    }

    long key(int piece) {
        return pieces[4 * piece + 3];
    }

    /** Bytes of pieces that one transfer may use: recipes that repeat a piece must not fill a disk. */
    long reuseLimit() {
        long whole = 0;
        for (int i = 0; i < count; i++) {
            whole += isWhole(i) ? length(i) : 0;
        }
        return 2 * whole + EXTRA_REUSE_BYTES;
    }

    /** Approximate length of {@link #signature}, bytes. */
    public long offerBytes() {
        return Signature.BYTES * (long) pieces();
    }

    /**
     * The list of pieces for an agent.
     *
     * @param nanosPerByte nanoseconds per wire byte from that agent
     */
    public byte[] signature(double nanosPerByte) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(pieces() * (Signature.BYTES + 1) + 32);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(Signature.VERSION);
            out.writeLong(reuseLimit());
            out.writeDouble(nanosPerByte * facts.wirePerRaw());
            out.writeInt(pieces());
            for (int i = 0; i < pieces(); i++) {
                Varint.write(out, length(i));
            }
            for (int i = 0; i < pieces(); i++) {
                out.writeLong(key(i));
            }
        } catch (IOException e) { // an array takes everything
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** An index without pieces, which only has the facts. */
    public static ChunkIndex withoutChunks(ArchiveStats facts) {
        return new ChunkIndex(facts, List.of(), new long[0], 0);
    }

    /**
     * Reads all files of an archive. Unreadable files, and entries other than plain files, are left out.
     *
     * @throws IOException also if the calling thread is interrupted
     */
    public static ChunkIndex of(Path archive, ArchiveStats facts) throws IOException {
        Path real = archive.toRealPath();
        Builder builder = new Builder(real);
        Files.walkFileTree(real, Set.of(), MAX_DEPTH, builder);
        return new ChunkIndex(facts, builder.files, builder.pieces, builder.count);
    }

    private static final class Builder extends SimpleFileVisitor<Path> {
        private final Path archive;
        private final List<String> files = new ArrayList<>();
        private final Set<Long> known = new HashSet<>();
        private long[] pieces = new long[4 * 1024];
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
                    // deleted or replaced since: wrong pieces are noticed when they are used
                }
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path path, IOException e) {
            return FileVisitResult.CONTINUE;
        }

        private void add(SeekableFileReader source) throws IOException {
            // the whole file comes first, even if another one is equal: allowance() needs its length
            long whole = ChunkHash.key(source, 0, source.size());
            put(0, source.size(), whole);
            known.add(whole);
            if (source.size() <= Chunker.MIN_SPLIT_BYTES && !ZipEntryScanner.looksLikeZip(source, 0, source.size())) {
                return; // a piece of itself
            }
            Chunker.visit(source, new Chunker.Visitor() {
                @Override
                public boolean nested(long from, long length) throws IOException {
                    return !addNew(from, length, ChunkHash.key(source, from, length));
                }

                @Override
                public boolean piece(long from, byte[] bytes, int offset, int length) {
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
            if (pieces.length == 4 * count) {
                pieces = Arrays.copyOf(pieces, 2 * pieces.length);
            }
            pieces[4 * count] = files.size() - 1L;
            pieces[4 * count + 1] = from;
            pieces[4 * count + 2] = length;
            pieces[4 * count + 3] = key;
            count++;
        }
    }

    /** Writes the index to a file that appears as a whole or not at all. */
    public void write(Path target) throws IOException {
        Path partial = target.resolveSibling("." + target.getFileName() + ".partial");
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            write(new DataOutputStream(bytes));
            CRC32C sum = new CRC32C();
            sum.update(bytes.toByteArray());
            new DataOutputStream(bytes).writeInt((int) sum.getValue());
            Files.write(partial, bytes.toByteArray());
            Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    private void write(DataOutputStream out) throws IOException {
        out.writeInt(MAGIC);
        out.writeByte(VERSION);
        facts.write(out);
        out.writeInt(files.size());
        for (String name : files) {
            out.writeUTF(name);
        }
        out.writeInt(pieces());
        for (int i = 0; i < pieces(); i++) {
            out.writeInt(file(i));
            out.writeLong(from(i));
            out.writeLong(length(i));
            out.writeLong(key(i));
        }
    }

    /**
     * Reads an index.
     *
     * @return null if there is no usable one
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
        ArchiveStats facts = ArchiveStats.read(in);
        int names = in.readInt();
        List<String> files = new ArrayList<>();
        while (files.size() < names) {
            files.add(in.readUTF());
        }
        int count = in.readInt();
        if (count < 0 || count > MAX_CHUNKS) {
            return null;
        }
        long[] pieces = new long[4 * count];
        // reading them from the stream takes 80 ms for 67,000 pieces in a JVM that has seldom done so
        bytes.position(bytes.limit() - in.available());
        for (int i = 0; i < pieces.length; i++) {
            pieces[i] = i % 4 == 0 ? bytes.getInt() : bytes.getLong();
        }
        for (int i = 0; i < pieces.length; i += 4) {
            // otherwise making a file of them might not end, or not be counted
            if (pieces[i] < 0 || pieces[i] >= names || pieces[i + 2] < Chunker.MIN_CHUNK) {
                return null;
            }
        }
        return new ChunkIndex(facts, files, pieces, count);
    }
}
