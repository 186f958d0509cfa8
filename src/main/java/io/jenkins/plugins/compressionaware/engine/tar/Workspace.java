package io.jenkins.plugins.compressionaware.engine.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A folder into which a tar is unpacked: a workspace, where existing files are overwritten as in core, or a private folder. Every parent of a file is a
 * real folder, created here or verified on disk, because a name has many spellings (case, Unicode, short names of Windows). One thread creates folders
 * and links; any thread may write files.
 */
@Restricted(NoExternalUse.class)
public final class Workspace {
    /** Core's own switch, which applies on controllers and agents alike. */
    private static final String FOLLOW_LINKS = "hudson.FilePath.ALLOW_UNTAR_SYMLINK_RESOLUTION";

    /** Total time, milliseconds, to wait on Windows for files that others hold open, such as virus scanners. */
    private static final long PATIENCE = 10_000;

    private static final long LONGEST_PAUSE = 500;

    /** How often to replace what is in the place of a link, because others may create links there, too. */
    private static final int TRIES = 10;

    /** Heap of a link beside its characters, bytes. */
    private static final int AROUND = 512;

    /** Waits some milliseconds. A class, because a lambda costs a fresh agent tens of milliseconds. */
    static class Pause {
        void of(long millis) throws InterruptedException {
            Thread.sleep(millis);
        }
    }

    final Path root;
    final FileCreator writer;
    /** Whether the folder is private: only this tar is unpacked there, and no link is followed. */
    final boolean isOwn;
    /** Windows does not promise that creating a file never follows a dangling link of that name. */
    private final boolean isWindows;

    private final Pause pause;
    private final AtomicLong patience = new AtomicLong(PATIENCE);
    private final AtomicInteger arrived = new AtomicInteger();
    /** Files that are being written. Guarded by itself. */
    private final Set<String> open = new HashSet<>();

    /** The folder asked for last, below the root; null for the root. Others are looked up on the disk again, as there may be very many. */
    @CheckForNull
    private Path current;

    /** The root, and the real path of each part of {@link #current}. */
    private final List<Path> paths = new ArrayList<>();

    /** Links of the tar by their names, until all files are written. */
    private final Map<Path, Link> links = new LinkedHashMap<>();

    /** Heap of links so far, bytes, about. */
    private long ofLinks;
    /** With more, all links are created immediately, and from then on no link is followed. */
    long mostOfLinks;

    private final Map<ExtractionWarning.Type, ExtractionWarning> warnings = new EnumMap<>(ExtractionWarning.Type.class);

    private volatile boolean followsLinks;
    private volatile boolean closed;

    /**
     * @param target       created if it does not exist; a link to a folder is followed, as by core
     * @param followsLinks whether to write through links in the target, unless core's switch on this machine says otherwise
     */
    public Workspace(Path target, boolean followsLinks) throws IOException {
        this(made(target), new FileCreator(target), followsLinks, new Pause());
    }

    Workspace(Path folder, FileCreator writer, boolean followsLinks, Pause pause) throws IOException {
        this(folder.toRealPath(), writer, pause, false);
        String told = System.getProperty(FOLLOW_LINKS);
        this.followsLinks = told == null ? followsLinks : Boolean.parseBoolean(told);
        mostOfLinks = 16 << 20;
    }

    private Workspace(Path root, FileCreator writer, Pause pause, boolean isOwn) {
        this.root = root;
        this.writer = writer;
        this.isOwn = isOwn;
        this.pause = pause;
        paths.add(root);
        // Jimfs can imitate Windows
        isWindows = root.getFileSystem().getSeparator().equals("\\");
    }

    /** A private folder that exists and is empty. */
    static Workspace own(Path folder, FileCreator writer) {
        return new Workspace(folder, writer, new Pause(), true);
    }

    /** Creates the folder unless it exists: not every JDK accepts a link to a folder as existing. */
    private static Path made(Path target) throws IOException {
        return Files.isDirectory(target) ? target : Files.createDirectories(target);
    }

    /**
     * Returns the path that the name of an entry stands for, relative to the root and without {@code ..}; never empty.
     *
     * @throws IOException that names the entry, if there is no such path
     */
    Path toPath(String name) throws IOException {
        Path path;
        try {
            // tar writers drop leading slashes; core also resolves such a name inside the archive
            path = root.getFileSystem().getPath(TarHeader.relative(name)).normalize();
        } catch (InvalidPathException e) {
            throw new IOException("Refused " + name + ": not a valid file name on this machine", e);
        }
        if (path.isAbsolute()
                || path.getRoot() != null
                || path.startsWith("..")
                || path.toString().isEmpty()) {
            throw new IOException("Refused " + name + ": it leaves the archive folder");
        }
        return path;
    }

    /**
     * Makes a folder, and those above it, unless they exist.
     *
     * @param name relative, without {@code ..}; null for the root
     * @return false if a waiting file may be in one of the folders under another spelling
     */
    boolean makeFolder(@CheckForNull Path name) throws IOException {
        int known = name == null ? 0 : common(name);
        current = null;
        paths.subList(known + 1, paths.size()).clear();
        boolean isNew = true;
        for (int i = known; name != null && i < name.getNameCount(); i++) {
            Path path = paths.get(i).resolve(name.getName(i));
            try {
                Files.createDirectory(path);
            } catch (FileSystemException e) {
                path = existing(path, e);
                isNew &= !isOwn;
            }
            paths.add(path);
        }
        current = name;
        return isNew;
    }

    /** Number of leading names equal to those of the last folder, in spelling too: some Windows disks distinguish a folder {@code a} from a link {@code A}. */
    private int common(Path name) {
        int most = current == null ? 0 : Math.min(current.getNameCount(), name.getNameCount());
        int common = 0;
        while (common < most
                && current.getName(common)
                        .toString()
                        .equals(name.getName(common).toString())) {
            common++;
        }
        return common;
    }

    /**
     * Returns the real path of a folder that exists already.
     *
     * @param failure why the folder could not be created
     */
    private Path existing(Path path, FileSystemException failure) throws IOException {
        BasicFileAttributes there = attributes(path);
        if (there == null) {
            throw failure;
        } else if (there.isDirectory() && !there.isOther()) {
            return path;
        } else if (isOwn) {
            throw inTheWay(path, "no folder but was sent as something else");
        } else if (!there.isSymbolicLink() && !there.isDirectory()) {
            throw inTheWay(path, "a file is in the way of a folder");
        }
        checkFollowed(path);
        if (!Files.isDirectory(path)) {
            throw inTheWay(path, "a link that leads to no folder");
        }
        return path.toRealPath();
    }

    /** Returns the path of an entry in the folder that was made last. */
    Path path(Path name) {
        return paths.get(paths.size() - 1).resolve(name.getFileName());
    }

    private void checkFollowed(Path link) throws EntryRejectedException {
        if (!followsLinks) {
            throw inTheWay(link, "a link, and nothing is written through links");
        }
    }

    private EntryRejectedException inTheWay(Path path, String what) {
        return new EntryRejectedException(name(path) + " is " + what);
    }

    /**
     * Creates a file, or overwrites a regular one.
     *
     * @param shared whether other threads write files at the same time
     */
    OutputStream create(PendingFile file, boolean shared) throws IOException {
        // releases the file of an earlier attempt
        ended(file, false);
        Path path = file.path();
        begin(file, path);
        if (!isWindows || !Files.isSymbolicLink(path)) {
            try {
                return createNew(file, shared);
            } catch (FileAlreadyExistsException e) {
                // overwrites it below
            }
        }
        if (isOwn) {
            makeRoom(path, file.name());
            return createNew(file, shared);
        }
        if (Files.isSymbolicLink(path)) {
            checkFollowed(path);
            Path end = end(file, path);
            ended(file, false);
            begin(file, end);
        }
        BasicFileAttributes there = attributes(file.end());
        if (there != null && there.isDirectory()) {
            throw inTheWay(path, "a folder is in the way of a file");
        } else if (there != null && !there.isRegularFile()) {
            throw inTheWay(path, "or leads to a device, a pipe or a socket");
        }
        return overwrite(file, shared);
    }

    private OutputStream createNew(PendingFile file, boolean shared) throws IOException {
        OutputStream out =
                shared ? writer.createUninterrupted(file.end(), file.mode()) : writer.create(file.end(), file.mode());
        file.isNew();
        return out;
    }

    /** Removes a file or link whose name is the same on this disk as that of another entry. */
    private void makeRoom(Path path, Path name) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new EntryRejectedException("another entry has taken its place");
        }
        Files.delete(path);
        warn(ExtractionWarning.Type.NAME_COLLISION, name, "");
    }

    /** Returns the target of a link, in a path without links. Creates a missing target, as core does. */
    private static Path end(PendingFile file, Path link) throws IOException {
        if (!Files.exists(link)) {
            Files.newOutputStream(link, StandardOpenOption.CREATE, StandardOpenOption.WRITE)
                    .close();
            file.isNew();
        }
        return link.toRealPath();
    }

    private OutputStream overwrite(PendingFile file, boolean shared) throws IOException {
        for (long millis = 10; ; millis = Math.min(2 * millis, LONGEST_PAUSE)) {
            try {
                return writer.overwrite(file.end(), file.mode());
            } catch (FileSystemException e) {
                if (!isWindows) {
                    return replace(file, shared, e);
                } else if (closed || patience.addAndGet(-millis) < 0) {
                    throw e;
                }
            }
            try {
                pause.of(millis);
            } catch (InterruptedException e) {
                throw interrupted();
            }
        }
    }

    /** Replaces a file that is read-only, belongs to another user, or is a running program. */
    private OutputStream replace(PendingFile file, boolean shared, FileSystemException failure) throws IOException {
        try {
            Files.deleteIfExists(file.end());
        } catch (IOException e) {
            failure.addSuppressed(e);
            throw failure;
        }
        try {
            return createNew(file, shared);
        } catch (FileAlreadyExistsException e) {
            // another process has created the file
            return writer.overwrite(file.end(), file.mode());
        }
    }

    /** Waits while another thread writes the same file, possibly under another spelling of its name. */
    private void begin(PendingFile file, Path end) throws IOException {
        synchronized (open) {
            while (!open.add(key(end))) {
                try {
                    open.wait();
                } catch (InterruptedException e) {
                    throw interrupted();
                }
            }
        }
        file.begin(end);
    }

    private static String key(Path path) {
        return Normalizer.normalize(path.toString(), Normalizer.Form.NFC).toLowerCase(Locale.ROOT);
    }

    private static InterruptedIOException interrupted() {
        // without Tasks, which the first unstash of an agent does not load
        Thread.currentThread().interrupt();
        return new InterruptedIOException("Interrupted while a file was in use");
    }

    /** Called after a file was written or has failed. */
    void ended(PendingFile file, boolean whole) {
        if (file.end() != null) {
            synchronized (open) {
                open.remove(key(file.end()));
                open.notifyAll();
            }
        }
        file.begin(null);
        if (whole) {
            arrived();
        }
    }

    /** Counts a file, folder or link. */
    void arrived() {
        arrived.incrementAndGet();
    }

    /** Returns the number of entries that were written. */
    int count() {
        return arrived.get();
    }

    /** @param path of the link, in a folder that was made */
    record Link(Path name, Path path, Path target) implements Comparable<Link> {
        /** Sorts the longest path first. */
        @Override
        public int compareTo(Link other) {
            return other.path.getNameCount() - path.getNameCount();
        }
    }

    /** Fails if a kept link has the name of the entry or of a folder above it. */
    void check(@CheckForNull Path name) throws EntryRejectedException {
        for (Path part = name; part != null && !links.isEmpty(); part = part.getParent()) {
            if (links.containsKey(part)) {
                throw new EntryRejectedException(part + " is no folder but was sent as something else");
            }
        }
    }

    /** Returns the links to place now, in this order, once no file is being written; empty if this link is {@link #kept}. */
    List<Link> placeable(Link link) {
        links.put(link.name, link);
        ofLinks +=
                AROUND + link.path.toString().length() + link.target.toString().length();
        if (ofLinks <= mostOfLinks) {
            return List.of();
        }
        followsLinks = false;
        // none may stay kept: the next link may replace its folder
        return kept();
    }

    /** Returns the kept links, longest paths first, so that a link is placed only in folders that existed when it arrived. */
    List<Link> kept() {
        List<Link> kept = new ArrayList<>(links.values());
        Collections.sort(kept);
        links.clear();
        return kept;
    }

    /** Creates a link, or warns if it cannot be created, as core does. */
    void place(Link link) throws IOException {
        try {
            placeLink(link);
        } catch (UnsupportedOperationException e) {
            warn(ExtractionWarning.Type.SYMLINK_NOT_CREATED, link.name, String.valueOf(e.getMessage()));
        } catch (FileSystemException e) {
            warn(ExtractionWarning.Type.SYMLINK_NOT_CREATED, link.name, PendingFile.reason(e));
        }
    }

    private void placeLink(Link link) throws IOException {
        for (int left = TRIES; ; left--) {
            try {
                writer.link(link.path(), link.target());
                arrived();
                return;
            } catch (FileAlreadyExistsException e) {
                if (isOwn) {
                    makeRoom(link.path(), link.name());
                    continue;
                }
                BasicFileAttributes there = attributes(link.path());
                if (there != null && there.isOther()) {
                    throw new FileSystemException(null, null, "a device, a pipe or a socket is in its place");
                } else if (left == 0) {
                    throw e;
                }
            }
            try {
                Files.deleteIfExists(link.path());
                forgetFolders();
            } catch (DirectoryNotEmptyException full) {
                warn(ExtractionWarning.Type.DIRECTORY_NOT_REPLACED, link.name(), "");
                return;
            }
        }
    }

    /** Stops waiting for files. */
    void close() {
        closed = true;
    }

    /** Makes the next lookup of a folder start at the root. */
    private void forgetFolders() {
        current = null;
        paths.subList(1, paths.size()).clear();
    }

    /** Returns a path for a message: relative to the root, or unchanged if it is outside. */
    private String name(Path path) {
        return (path.startsWith(root) ? root.relativize(path) : path).toString();
    }

    /** Returns the attributes without following a link; null if the path does not exist. */
    @CheckForNull
    private static BasicFileAttributes attributes(Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    void warn(ExtractionWarning.Type kind, Path name, String reason) {
        synchronized (warnings) {
            warnings.merge(
                    kind,
                    new ExtractionWarning(kind, 1, name.toString(), reason),
                    (first, other) -> first.incremented());
        }
    }

    /** At most one of each kind. */
    public List<ExtractionWarning> warnings() {
        synchronized (warnings) {
            return List.copyOf(warnings.values());
        }
    }
}
