package io.jenkins.plugins.compressionaware.engine.packed;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.FrameEnvelope;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileFooter;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.framefile.LocalFile;
import io.jenkins.plugins.compressionaware.engine.framefile.RangeReader;
import io.jenkins.plugins.compressionaware.engine.framefile.RangeStream;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredFile;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.tar.SelectedFiles;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.engine.tar.TarHeader;
import io.jenkins.plugins.compressionaware.engine.tar.TarWalker;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A packed archive, as it is when this object is created: a read fails if the file is replaced. The file is open only while it is read. A damaged index is
 * rebuilt from the frames. Thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class PackedFile {
    private static final Logger LOGGER = Logger.getLogger(PackedFile.class.getName());

    /** Positions of what is cached besides blocks and pages: the root page of the index, and a rebuilt index. */
    private static final long ROOT = -1;

    private static final long REBUILT = -2;

    /** Maximum size of a file whose blocks are cached, bytes. A smaller file shares its block with others. */
    private static final long MAX_CACHED = 64 * 1024;

    private final String name;
    private final Source source;
    private final Object identity;
    private final BlockCache cache;

    private volatile PackedIndex index;

    /** Opens the file, or its object in a store. */
    @FunctionalInterface
    public interface Source {
        /** @throws IOException if the file was replaced, too */
        RangeReader open() throws IOException;
    }

    /**
     * @param name     for messages
     * @param identity equals that of another file only if both have the same bytes
     */
    public PackedFile(String name, Object identity, Source source) {
        this(name, identity, source, BlockCache.OF_THIS_JVM);
    }

    PackedFile(String name, Object identity, Source source, BlockCache cache) {
        this.name = name;
        this.source = source;
        this.identity = identity;
        this.cache = cache;
    }

    public static PackedFile of(Path file) throws IOException {
        Object key = LocalFile.key(file);
        return new PackedFile(file.toString(), key, () -> {
            RangeReader opened = StoredRecord.open(file);
            if (!LocalFile.key(file).equals(key)) {
                opened.close();
                throw new IOException(file + " was replaced while it was read");
            }
            return opened;
        });
    }

    String name() {
        return name;
    }

    /** Returns whether a file begins as packed archives do, and not as a file that a build has archived under such a name. */
    static boolean isPacked(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] start = in.readNBytes(FrameEnvelope.GZIP_EXTRA_FIELD.prefixLength());
            return PageCodec.isFrame(start) || StoredRecord.isRecord(start);
        }
    }

    private PackedIndex index() throws IOException {
        PackedIndex known = index;
        if (known == null) {
            known = load();
            index = known;
        }
        return known;
    }

    private PackedIndex load() throws IOException {
        byte[] rebuilt = cache.find(identity, REBUILT);
        try {
            return rebuilt == null ? regular() : PackedIndex.inMemory(rebuilt);
        } catch (IOException e) {
            try (RangeReader file = source.open()) {
                LOGGER.log(Level.WARNING, "Rebuilding the index of {0}: {1}", new Object[] {name, e.getMessage()});
                return PackedIndex.inMemory(cache.get(identity, REBUILT, () -> IndexRebuilder.rebuild(file)));
            }
        }
    }

    private PackedIndex regular() throws IOException {
        byte[] root = cache.get(identity, ROOT, () -> {
            try (RangeReader file = source.open()) {
                return PackedIndex.root(file);
            }
        });
        PackedIndex.Pages pages = (position, length, number) -> cache.get(identity, position, () -> {
            try (RangeReader file = source.open()) {
                return PageCodec.decode(file.read(position, length), number, PackedIndex.MAX_PAGE);
            }
        });
        return new PackedIndex(root, pages);
    }

    /** Returns the bytes of the tar. */
    public long rawBytes() throws IOException {
        return index().rawBytes;
    }

    /**
     * Passes entries in the order of their names, as bytes of UTF-8.
     *
     * @param from    first possible name
     * @param visitor returns the next possible name; an empty text for the next entry; null to stop
     */
    public void visit(String from, Function<TarEntry, String> visitor) throws IOException {
        index().visit(from, visitor);
    }

    /** Returns the first entry whose name is not before a text; null if there is none. */
    @CheckForNull
    public TarEntry first(String from) throws IOException {
        TarEntry[] found = new TarEntry[1];
        visit(from, entry -> {
            found[0] = entry;
            return null;
        });
        return found[0];
    }

    /** Returns an object that equals that of another packed archive only if both have the same bytes. */
    public Object identity() {
        return identity;
    }

    /** Returns the length of the largest possible block, bytes, and at least 1 KiB. */
    public int blockSize() throws IOException {
        try (RangeReader file = source.open()) {
            return Math.max(TarHeader.TRAILER_LENGTH, FrameFileFooter.of(file).blockSize());
        }
    }

    /** Copies some entries, which are sorted by position, into a frame file, and finishes it. A forged index can lead to other entries. */
    public void copy(List<TarEntry> entries, FrameFileWriter target) throws IOException {
        PackedIndex known = index();
        int blockSize = blockSize();
        try (RangeReader file = source.open()) {
            PackedSubset subset = new PackedSubset(file, known, this::cached, target, blockSize);
            forSections(known, entries, subset::copy);
            subset.finish();
        }
    }

    /** A range of the tar. */
    private interface Section {
        void use(long from, long to) throws IOException;
    }

    /** Passes the sections of the tar with entries, which are sorted by position. Some may be empty. */
    private static void forSections(PackedIndex known, List<TarEntry> entries, Section target) throws IOException {
        LongStream.Builder starts = LongStream.builder().add(known.rawBytes);
        known.visit("", entry -> {
            starts.add(entry.position());
            return "";
        });
        long[] sorted = starts.build().sorted().distinct().toArray();
        long from = 0;
        long to = 0;
        for (TarEntry entry : entries) {
            if (entry.position() != to) {
                target.use(from, to);
                from = entry.position();
            }
            int next = Arrays.binarySearch(sorted, entry.position()) + 1;
            to = sorted[Math.min(next, sorted.length - 1)];
        }
        target.use(from, to);
    }

    /** Returns the frames and objects that have some entries, which are sorted by position. A forged index can lead to other entries. */
    public SelectedFiles select(List<TarEntry> entries) throws IOException {
        PackedIndex known = index();
        FrameRuns runs = new FrameRuns(known);
        long position;
        try (RangeReader file = source.open()) {
            position = file.length();
        }
        List<TarEntry> inFrames = new ArrayList<>();
        for (TarEntry entry : entries) {
            if (entry.type() == TarEntry.OBJECT) {
                runs.addObject(entry, position);
                position += entry.size();
            } else {
                inFrames.add(entry);
            }
        }
        forSections(known, inFrames, runs::add);
        return runs.finish(entries.stream().map(TarEntry::name).toList());
    }

    /**
     * Opens some entries for an agent that reads them from a store.
     *
     * @param entries some of this archive, by position
     * @return null if this archive is not in a store
     */
    @CheckForNull
    public FrameFile openStored(List<TarEntry> entries) throws IOException {
        RangeReader file = source.open();
        try {
            if (file instanceof StoredFile) {
                return FrameFile.of(file, select(entries));
            }
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
        file.close();
        return null;
    }

    private byte[] cached(RangeReader file, PackedIndex.Place place) throws IOException {
        return cache.get(identity, place.wireStart(), () -> BlockStream.decode(file, place));
    }

    /** Returns the number of pages of the index that list entries. */
    int entryPages() throws IOException {
        return index().entryPages();
    }

    /** Returns whether a file, or the middle of it, is stored without compression. */
    public boolean isIncompressible(TarEntry entry) throws IOException {
        if (entry.type() == TarEntry.OBJECT) {
            return true;
        }
        PackedIndex.Place middle = index().place(entry.position() + entry.size() / 2);
        return middle.wireLength() >= middle.rawLength();
    }

    /** Returns the record of a file's object. */
    public StoredRecord object(TarEntry entry) throws IOException {
        StoredRecord record = StoredRecord.of(Path.of(name));
        if (record == null) {
            throw new IOException(name + " has no record of objects");
        }
        return record.ofFile(entry.target());
    }

    /** Opens the content of a file of this archive. Skipping is cheap. A read fails with the name of the file if its block is damaged. */
    public InputStream open(TarEntry entry) throws IOException {
        if (entry.type() == TarEntry.OBJECT) {
            return new NamedInputStream(new RangeStream(object(entry).openObject(Path.of(name))), entry.name());
        }
        BlockStream.Blocks blocks = entry.size() > MAX_CACHED ? BlockStream::decode : this::cached;
        PackedIndex known = index();
        BlockStream tar = new BlockStream(source.open(), known, entry.position(), blocks);
        try {
            return new NamedInputStream(TarWalker.open(tar, entry), entry.name());
        } catch (IOException e) {
            throw NamedInputStream.named(entry.name(), e);
        }
    }
}
