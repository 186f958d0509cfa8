package io.jenkins.plugins.compressionaware.engine.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Unpacks a tar stream of requested files into an empty folder of its own, or any files into a workspace. No stream can make it write outside
 * that folder or through a link of the stream, see {@link Workspace}. Used by one thread; others may help to write small files, see {@link ParallelFileWriter}.
 */
@Restricted(NoExternalUse.class)
public final class TarUnpacker {
    /** Bytes allowed around an entry on average: a name and a link target of 4096 bytes each, Linux's longest, need 12 KiB. */
    private static final long MEAN_ENTRY_OVERHEAD = 16 * 1024;

    /** Bytes for headers and padding of a recipe's further parts: 1 KiB for each of at most 32. */
    private static final long RECIPE_OVERHEAD = 32 * 1024;

    private final Path root;
    private final Workspace folder;
    private final ParallelFileWriter writers;
    private final FileExtractor files;
    /** How often to accept each path: two names may be one on the disk. */
    private final Map<Path, Integer> awaited = new HashMap<>();

    @CheckForNull
    private final Set<String> names;

    private final EntryDecoder decoder;

    private final Set<Path> failedDeltas = new HashSet<>();
    private int entries;
    /** Name of the last entry, for a message. */
    private String underWay = "the beginning";

    private boolean isWhole = true;

    /**
     * @param folder  exists, is empty, and is used by nobody else
     * @param names   the entries to accept, each once; null to accept any entry with a name below the folder
     * @param helpers write small files where the disk is slow
     * @param decoder makes files from recipes
     * @throws IOException if one of the names cannot be a file below the folder
     */
    public TarUnpacker(Path folder, @CheckForNull Set<String> names, WorkerResources helpers, EntryDecoder decoder)
            throws IOException {
        this(
                Workspace.own(folder, new FileCreator(folder)),
                names,
                new ParallelFileWriter(helpers, new AdaptiveConcurrency()),
                decoder);
    }

    /** @param helpers write small files where the disk is slow */
    public TarUnpacker(Workspace folder, WorkerResources helpers) throws IOException {
        this(folder, null, new ParallelFileWriter(helpers, new AdaptiveConcurrency()), EntryDecoder.NONE);
    }

    TarUnpacker(Workspace folder, @CheckForNull Set<String> names, ParallelFileWriter writers, EntryDecoder decoder)
            throws IOException {
        root = folder.root;
        this.folder = folder;
        this.writers = writers;
        files = new FileExtractor(writers);
        this.names = names;
        this.decoder = decoder;
        if (names != null) {
            for (String name : names) {
                awaited.merge(folder.toPath(name), 1, Integer::sum);
            }
        }
    }

    /** A further unpacker for the same folder, which knows the links already there. This one must have read its stream. */
    public TarUnpacker forRetry(Set<String> more, WorkerResources helpers) throws IOException {
        return new TarUnpacker(
                folder, more, new ParallelFileWriter(helpers, new AdaptiveConcurrency()), EntryDecoder.NONE);
    }

    /**
     * Reads to the end of the stream.
     *
     * @throws IOException that names the entry and the reason; the folder may then hold some of the files, and more may follow until {@link #close}
     */
    public void unpack(InputStream in) throws IOException {
        try {
            unpackAll(in);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw folder.isOwn ? e : withState(e);
        }
    }

    private IOException withState(IOException e) {
        try {
            writers.awaitIdle();
        } catch (IOException other) {
            // the first failure counts
        }
        // the message names a file that another thread could not write
        String missing = e == writers.failure()
                ? ""
                : " Missing or incomplete from " + (isWhole ? "what follows " : "") + underWay + " on.";
        return new IOException(e.getMessage() + "." + missing + " Entries written: " + folder.count(), e);
    }

    private void unpackAll(InputStream in) throws IOException {
        long forEach = MEAN_ENTRY_OVERHEAD + (decoder == EntryDecoder.NONE ? 0 : RECIPE_OVERHEAD);
        long forAll = names == null ? Long.MAX_VALUE : TarReader.MAX_ENTRY_OVERHEAD + awaited.size() * forEach;
        try (TarReader tar = new TarReader(in, forAll)) {
            while (tar.next()) {
                String name = tar.name();
                underWay = name;
                isWhole = false;
                Path path = folder.toPath(name);
                try {
                    unpack(path, tar);
                    isWhole = true;
                } catch (IOException e) {
                    if (e == tar.failure() || e == writers.failure() || e instanceof InterruptedIOException) {
                        throw e;
                    }
                    throw PendingFile.explain(name, e);
                }
            }
        }
        writers.awaitIdle();
        for (Workspace.Link link : folder.kept()) {
            folder.place(link);
        }
        if (!awaited.isEmpty()) {
            Path first = awaited.keySet().iterator().next();
            int more = awaited.size() - 1;
            String others = more == 0 ? "" : " and " + more + (more == 1 ? " other file" : " other files");
            throw new IOException("The agent did not send " + first + others);
        }
    }

    private void unpack(Path name, TarReader entry) throws IOException {
        if (names != null && !takeExpected(name)) {
            throw new EntryRejectedException("it was not requested, or came twice");
        }
        folder.check(entry.typeFlag() == '2' ? name.getParent() : name);
        if (entry.typeFlag() == '5' || entry.name().endsWith("/")) {
            makeFolder(name);
            folder.arrived();
        } else if (entry.typeFlag() == '2') {
            makeFolder(name.getParent());
            unpackLink(name, entry.target());
        } else if (entry.typeFlag() == '0') {
            files.write(folderOf(name), newFile(name, entry), entry, entry.size());
        } else if (DeltaPartsInputStream.mayBegin(entry)) {
            rebuild(name, newFile(name, entry), new DeltaPartsInputStream(entry));
        } else {
            throw EntryRejectedException.ofKind();
        }
        entries++;
    }

    private PendingFile newFile(Path name, TarReader entry) throws IOException {
        makeFolder(name.getParent());
        FileTime modified = FileTime.from(entry.seconds(), TimeUnit.SECONDS);
        return new PendingFile(folder, name, folder.path(name), entry.name(), entry.mode(), modified);
    }

    private void rebuild(Path name, PendingFile file, InputStream recipe) throws IOException {
        try (EntryDecoder.Content content = decoder.decode(recipe)) {
            files.write(folderOf(name), file, content, content.size());
        } catch (UnfitException e) {
            failedDeltas.add(name);
            entries--;
            // the unread rest would count as bytes around the next entry
            recipe.transferTo(OutputStream.nullOutputStream());
        }
    }

    /** Names of files that could not be made from their recipes, and are missing. */
    public Set<String> failedDeltas() throws IOException {
        Set<String> found = new HashSet<>();
        for (String name : failedDeltas.isEmpty() || names == null ? Set.<String>of() : names) {
            if (failedDeltas.contains(folder.toPath(name))) {
                found.add(name);
            }
        }
        return found;
    }

    private void makeFolder(@CheckForNull Path name) throws IOException {
        if (!folder.makeFolder(name)) {
            // files of this folder may be waiting under another spelling
            writers.awaitIdle();
        }
    }

    private Path folderOf(Path name) {
        return name.getParent() == null ? root : name.getParent();
    }

    private boolean takeExpected(Path name) {
        Integer times = awaited.get(name);
        if (times == null) {
            return false;
        }
        if (times > 1) {
            awaited.put(name, times - 1);
        } else {
            awaited.remove(name);
        }
        return true;
    }

    private void unpackLink(Path name, String target) throws IOException {
        try {
            Workspace.Link link = new Workspace.Link(
                    name, folder.path(name), root.getFileSystem().getPath(target));
            for (Workspace.Link each : folder.placeable(link)) {
                if (folder.isOwn) {
                    writers.awaitIdle(folderOf(name));
                } else {
                    // the link may replace a folder of later files
                    writers.awaitIdle();
                }
                folder.place(each);
            }
        } catch (InvalidPathException e) {
            folder.warn(ExtractionWarning.Type.SYMLINK_NOT_CREATED, name, e.getReason());
        }
    }

    /**
     * Begins no further file.
     *
     * @param last runs when no file is being written any more: before this returns, unless the disk hangs
     */
    public void close(Runnable last) {
        folder.close();
        writers.close(last);
    }

    /** Entries unpacked so far: files, links and directories. */
    public int entries() {
        return entries;
    }

    /** Bytes of file contents unpacked so far. Any thread may ask. */
    public long contentBytes() {
        return files.written() + writers.written();
    }

    /** Most files at a time that were worthwhile while the disk took long for each; 0 if it never did. */
    public int writers() {
        return writers.peakConcurrency();
    }

    /** Warnings of this unpacker and of {@linkplain #forRetry further} ones for the folder; at most one of each kind. */
    public List<ExtractionWarning> warnings() {
        return folder.warnings();
    }
}
