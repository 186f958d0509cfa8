package io.jenkins.plugins.compressionaware.engine.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Unpacks a tar stream: requested files into a private folder, or any files into a workspace. No stream can write outside that folder or through a link of the
 * stream, see {@link Workspace}. Used by one thread; {@link ParallelFileWriter} may write small files on others.
 */
@Restricted(NoExternalUse.class)
public final class TarUnpacker implements Closeable {
    /** Start of the message about a file that cannot be written. */
    public static final String CANNOT_WRITE = "Cannot write ";

    /** Overhead allowed per entry on average, bytes. A name and a link target of 4096 bytes each, the maximum on Linux, need 12 KiB. */
    static final long MEAN_ENTRY_OVERHEAD = 16 * 1024;

    /** Additional overhead allowed for a delta, bytes: 1 KiB for each of at most 32 parts. */
    private static final long DELTA_OVERHEAD = 32 * 1024;

    private final Workspace folder;
    private final ParallelFileWriter writers;
    private final FileExtractor files;
    /** Number of entries expected for each name, as {@link #expected} spells it. The keys are those of {@link #names}, because there may be a million. */
    private final Map<String, Integer> outstanding = new HashMap<>();

    @CheckForNull
    private final Set<String> names;

    private final EntryDecoder decoder;

    private final Set<Path> failedDeltas = new HashSet<>();
    /** Whether deltas are refused. */
    private boolean inFull;

    private int entries;
    /** See {@link #skipFiles}. */
    private int complete;
    /** Equals {@link #entries}, for other threads. */
    private volatile int arrived;
    /** Content bytes of these entries. */
    private long entryBytes;
    /** Name of the last entry, for messages; null after all files. */
    @CheckForNull
    private String lastEntry = "the beginning";

    /** Name of the file or link that is being written. */
    private String current;

    /** Whether {@link #lastEntry} was unpacked completely. */
    private boolean isComplete = true;

    /**
     * @param folder  empty folder that nothing else uses
     * @param names   entries to accept, each once; null to accept all entries with a name below the folder
     * @param helpers write small files if the disk is slow
     * @param decoder rebuilds files from deltas
     * @throws IOException if one of the names cannot be a file below the folder
     */
    public TarUnpacker(Path folder, @CheckForNull Set<String> names, DiskHelpers helpers, EntryDecoder decoder)
            throws IOException {
        this(
                Workspace.own(folder, new FileCreator(folder)),
                names,
                new ParallelFileWriter(helpers, new AdaptiveConcurrency()),
                decoder);
    }

    /** @param names entries to accept, each once; null to accept all */
    public TarUnpacker(Workspace folder, @CheckForNull Set<String> names, DiskHelpers helpers) throws IOException {
        this(folder, names, new ParallelFileWriter(helpers, new AdaptiveConcurrency()), EntryDecoder.NONE);
    }

    TarUnpacker(Workspace folder, @CheckForNull Set<String> names, ParallelFileWriter writers, EntryDecoder decoder)
            throws IOException {
        this.folder = folder;
        this.writers = writers;
        files = new FileExtractor(writers);
        this.names = names;
        this.decoder = decoder;
        expect(names == null ? Set.of() : names);
    }

    /** Skips the files among the first entries: an earlier unpacker has completed them. Folders and links are created again, because links are created last. */
    public void skipFiles(int entriesBefore) {
        complete = entriesBefore;
    }

    /** Returns the number of entries before the first incomplete file. After a warning, which is to be repeated, only skipped ones count. Thread-safe. */
    public int completeEntries() {
        int known = arrived; // before the next line, because files are being queued
        PendingFile missing = writers.firstMissing(true);
        known = missing == null ? known : Math.min(known, missing.number);
        return folder.warnings().isEmpty() ? Math.max(complete, known) : complete;
    }

    /** Expects these files, and no others. */
    private void expect(Set<String> files) throws IOException {
        outstanding.clear();
        failedDeltas.clear();
        for (String name : files) {
            outstanding.merge(expected(folder.toPath(name), name), 1, Integer::sum);
        }
    }

    /**
     * Unpacks a stream to its end. The next stream must contain the {@link #missing} files, without deltas unless {@link #dropIncomplete} was called.
     *
     * @throws IOException that names the entry and the reason; by then some files exist, and others may follow until {@link #close}
     */
    public void unpack(InputStream in) throws IOException {
        try {
            unpackAll(in);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw folder.isPrivate ? e : withState(e);
        }
        if (!outstanding.isEmpty()) {
            throw TarWalker.missing(outstanding.keySet().iterator().next(), outstanding.size() - 1);
        }
    }

    private IOException withState(IOException e) {
        try {
            writers.awaitIdle();
        } catch (IOException other) {
            // report the first failure only
        }
        List<String> missing = new ArrayList<>();
        PendingFile queued = writers.firstMissing(false);
        if (queued != null || lastEntry != null) {
            String last = (isComplete ? "what follows " : "") + lastEntry;
            missing.add("from " + (queued != null ? queued.sentAs : last) + " on");
        }
        if (folder.links.firstKept() != null) {
            missing.add("symbolic links from " + folder.links.firstKept() + " on");
        }
        String what = String.join(", ", missing);
        return new IOException(
                e.getMessage() + ". Missing or incomplete " + what + ". Entries written: " + folder.arrived, e);
    }

    private void unpackAll(InputStream in) throws IOException {
        long forEach = MEAN_ENTRY_OVERHEAD + (decoder == EntryDecoder.NONE ? 0 : DELTA_OVERHEAD);
        long forAll = names == null ? Long.MAX_VALUE : TarReader.MAX_ENTRY_OVERHEAD + outstanding.size() * forEach;
        if (!failedDeltas.isEmpty()) {
            inFull = true;
            expect(missing());
        }
        try (TarReader tar = new TarReader(in, forAll)) {
            while (tar.next()) {
                current = tar.name();
                lastEntry = current;
                isComplete = false;
                Path path = folder.toPath(current);
                try {
                    unpack(path, tar);
                    isComplete = true;
                } catch (IOException e) {
                    if (e == tar.failure() || e == writers.failure() || e instanceof InterruptedIOException) {
                        throw e;
                    }
                    throw PendingFile.explain(current, e);
                }
            }
        }
        writers.awaitIdle();
        lastEntry = null;
        try {
            placeLinks();
        } catch (IOException e) {
            throw PendingFile.explain(current, e);
        }
    }

    private void unpack(Path name, TarReader entry) throws IOException {
        if (names != null && !takeExpected(name, entry.name())) {
            throw new EntryRejectedException("it was not requested, or came twice");
        }
        folder.links.check(entry.typeFlag() == '2' ? name.getParent() : name);
        if (entry.typeFlag() == '5') {
            makeFolder(name);
            folder.arrived.incrementAndGet();
        } else if (entry.typeFlag() == '2') {
            makeFolder(name.getParent());
            unpackLink(name, entry.target());
        } else if (entry.typeFlag() == '0' && entries < complete) {
            writers.written.add(entry.transferTo(OutputStream.nullOutputStream()));
            entryBytes += entry.size();
            folder.arrived.incrementAndGet();
        } else if (entry.typeFlag() == '0') {
            files.write(folderOf(name), newFile(name, entry), entry, entry.size());
            entryBytes += entry.size();
        } else if (DeltaPartsInputStream.isPart(entry) && !inFull) {
            rebuild(name, newFile(name, entry), new DeltaPartsInputStream(entry));
        } else {
            throw EntryRejectedException.unsupportedType();
        }
        arrived = ++entries;
    }

    private PendingFile newFile(Path name, TarReader entry) throws IOException {
        makeFolder(name.getParent());
        FileTime modified = FileTime.from(entry.seconds(), TimeUnit.SECONDS);
        return new PendingFile(folder, name, folder.path(name), entry.name(), entry.mode(), modified, entries);
    }

    private void rebuild(Path name, PendingFile file, InputStream delta) throws IOException {
        try (EntryDecoder.Content content = decoder.decode(delta)) {
            files.write(folderOf(name), file, content, content.size());
            entryBytes += content.size();
        } catch (ReferenceMismatchException e) {
            failedDeltas.add(name);
            // the unread rest would count as overhead of the next entry
            delta.transferTo(OutputStream.nullOutputStream());
            entries--;
        }
    }

    /** Returns the names of files that are missing: because their deltas failed, or after {@link #dropIncomplete}. */
    public Set<String> missing() throws IOException {
        Set<String> found = new HashSet<>();
        for (String name :
                failedDeltas.isEmpty() && outstanding.isEmpty() || names == null ? Set.<String>of() : names) {
            Path path = folder.toPath(name);
            if (failedDeltas.contains(path) || outstanding.containsKey(expected(path, name))) {
                found.add(name);
            }
        }
        return found;
    }

    /** Drops the file that a lost stream has left incomplete, so that another stream can follow. Returns its content bytes so far. */
    public long dropIncomplete() throws IOException {
        writers.awaitIdle();
        if (!isComplete) {
            failedDeltas.add(folder.toPath(current));
        }
        isComplete = true;
        expect(missing());
        long dropped = contentBytes() - entryBytes;
        writers.written.add(-dropped);
        return dropped;
    }

    private void makeFolder(@CheckForNull Path name) throws IOException {
        if (!folder.makeFolder(name)) {
            // files of this folder may be queued under another spelling
            writers.awaitIdle();
        }
    }

    private Path folderOf(Path name) {
        return name.getParent() == null ? folder.root : name.getParent();
    }

    /** Returns the text by which to find a path in {@link #outstanding}: the name itself, if it is that text. */
    private static String expected(Path path, String name) {
        String text = path.toString().replace(path.getFileSystem().getSeparator(), "/");
        return text.equals(name) ? name : text;
    }

    private boolean takeExpected(Path path, String name) {
        String expected = expected(path, name);
        boolean found = outstanding.containsKey(expected);
        outstanding.computeIfPresent(expected, (same, times) -> times > 1 ? times - 1 : null);
        return found;
    }

    /** Creates all kept links. No file may be being written. */
    private void placeLinks() throws IOException {
        for (KeptLinks.Link link : folder.links.kept()) {
            current = link.name().toString();
            folder.links.place(link);
        }
        folder.links.forget();
    }

    private void unpackLink(Path name, String target) throws IOException {
        try {
            KeptLinks.Link link = new KeptLinks.Link(
                    name, folder.path(name), name.getFileSystem().getPath(target));
            if (!folder.links.keep(link)) {
                if (folder.isPrivate) {
                    writers.awaitIdle(folderOf(name));
                } else {
                    // the link may replace an empty folder for which files are queued
                    writers.awaitIdle();
                }
                placeLinks();
            }
        } catch (InvalidPathException e) {
            folder.warn(ExtractionWarning.Type.SYMLINK_NOT_CREATED, name, e.getReason());
        }
    }

    @Override
    public void close() {
        close(() -> {});
    }

    /**
     * Discards the files that wait, and lets running writes finish.
     *
     * @param cleanup runs when no file is being written: before this method returns, or later if the disk hangs
     */
    public void close(Runnable cleanup) {
        folder.close();
        writers.close(cleanup);
    }

    /** Returns the number of entries unpacked so far: files, links and folders. */
    public int entries() {
        return entries;
    }

    /** Returns the number of content bytes unpacked so far. Thread-safe. */
    public long contentBytes() {
        return writers.written.sum();
    }

    /** Returns the highest number of parallel writers that paid off while the disk was slow per file; 0 if it was never slow. */
    public int writers() {
        return writers.peakConcurrency();
    }

    /** Returns the warnings, at most one of each type. */
    public List<ExtractionWarning> warnings() {
        return folder.warnings();
    }
}
