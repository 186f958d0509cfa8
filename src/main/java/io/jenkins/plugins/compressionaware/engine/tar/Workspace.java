package io.jenkins.plugins.compressionaware.engine.tar;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A folder into which a tar is unpacked: a workspace, where existing files are overwritten as in core, or a private folder. Every parent of a file is a real
 * folder, created here or verified on disk, because a name has many spellings (case, Unicode, short names of Windows). One thread creates folders and links;
 * any thread may write files.
 */
@Restricted(NoExternalUse.class)
public final class Workspace {
    /** Core's switch for following links, which applies on controllers and agents. */
    private static final String FOLLOW_LINKS = "hudson.FilePath.ALLOW_UNTAR_SYMLINK_RESOLUTION";

    /** Total time to retry files that others hold open on Windows, such as virus scanners, milliseconds. */
    private static final long RETRY_MILLIS = 10_000;

    private static final long MAX_PAUSE_MILLIS = 500;

    final Path root;
    final FileCreator writer;
    /** Whether the folder is private: it receives only this tar, and no link is followed. */
    final boolean isPrivate;
    /** On Windows, creating a file may follow a dangling link of its name. */
    final boolean isWindows;

    private final AtomicLong retryMillisLeft = new AtomicLong(RETRY_MILLIS);
    /** Links of the tar, which are created last. */
    final KeptLinks links = new KeptLinks(this);

    /** Number of entries written. */
    final AtomicInteger arrived = new AtomicInteger();

    /** The names of the last created folder and of its parents below the root. Other folders are not cached, because there may be very many. */
    private final List<String> names = new ArrayList<>();

    /** The root, and the real path of each of {@link #names}. */
    private final List<Path> paths = new ArrayList<>();

    @GuardedBy("warnings")
    private final Map<ExtractionWarning.Type, ExtractionWarning> warnings = new EnumMap<>(ExtractionWarning.Type.class);

    private volatile boolean followsLinks;
    private volatile boolean closed;

    /**
     * @param target       created if it does not exist; a link to a folder is followed, as in core
     * @param followsLinks whether to write through links in the target; core's switch on this machine has priority
     */
    public Workspace(Path target, boolean followsLinks) throws IOException {
        this(made(target), new FileCreator(target), followsLinks);
    }

    Workspace(Path folder, FileCreator writer, boolean followsLinks) throws IOException {
        this(writer, folder.toRealPath(), false);
        String setting = System.getProperty(FOLLOW_LINKS);
        this.followsLinks = setting == null ? followsLinks : Boolean.parseBoolean(setting);
        links.maxHeap = 16 << 20;
    }

    private Workspace(FileCreator writer, Path root, boolean isPrivate) {
        this.root = root;
        this.writer = writer;
        this.isPrivate = isPrivate;
        paths.add(root);
        // Jimfs can imitate Windows
        isWindows = root.getFileSystem().getSeparator().equals("\\");
    }

    /** Returns a private workspace. The folder must exist and be empty. */
    static Workspace own(Path folder, FileCreator writer) {
        return new Workspace(writer, folder, true);
    }

    /** Creates the folder unless it exists. Some JDKs reject a link to a folder as an existing folder. */
    private static Path made(Path target) throws IOException {
        return Files.isDirectory(target) ? target : Files.createDirectories(target);
    }

    /** Refuses links of the tar. */
    public void refuseLinks() {
        links.refused = true;
    }

    /**
     * Converts the name of an entry to a path relative to the root, without {@code ..} and never empty.
     *
     * @throws IOException that names the entry, if there is no such path
     */
    Path toPath(String name) throws IOException {
        return relative(root.getFileSystem(), name);
    }

    static Path relative(FileSystem disk, String name) throws IOException {
        Path path;
        try {
            // tar writers drop leading slashes; core also resolves such a name inside the archive
            path = disk.getPath(TarHeader.relative(name)).normalize();
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
     * Creates a folder and its parents, unless they exist.
     *
     * @param name relative, without {@code ..}; null for the root
     * @return false if a queued file may be in one of the folders under another spelling
     */
    boolean makeFolder(@CheckForNull Path name) throws IOException {
        int known = name == null ? 0 : common(name);
        forgetFolders(known);
        boolean isNew = true;
        for (int i = known; name != null && i < name.getNameCount(); i++) {
            Path path = paths.get(i).resolve(name.getName(i));
            try {
                Files.createDirectory(path);
            } catch (FileSystemException e) {
                path = existing(path, e);
                isNew &= !isPrivate;
            }
            paths.add(path);
            names.add(name.getName(i).toString());
        }
        return isNew;
    }

    /**
     * Returns how many leading names equal those of the last folder. Compares exact spellings, because a disk may distinguish a folder {@code a} from a link
     * {@code A}.
     */
    private int common(Path name) {
        int most = Math.min(names.size(), name.getNameCount());
        int common = 0;
        while (common < most && names.get(common).equals(name.getName(common).toString())) {
            common++;
        }
        return common;
    }

    /**
     * Returns the real path of an existing folder.
     *
     * @param failure why the folder could not be created
     */
    private Path existing(Path path, FileSystemException failure) throws IOException {
        BasicFileAttributes existing = writer.attributes(path);
        if (existing == null) {
            throw failure;
        } else if (existing.isDirectory() && !existing.isOther()) {
            return path;
        } else if (isPrivate) {
            throw inTheWay(path, "no folder but was sent as something else");
        } else if (!existing.isSymbolicLink() && !existing.isDirectory()) {
            throw inTheWay(path, "a file in the way of a folder");
        }
        checkFollowed(path);
        if (!Files.isDirectory(path)) {
            throw inTheWay(path, "a link that leads to no folder");
        }
        return path.toRealPath();
    }

    /** Returns the path of an entry in the last created folder. */
    Path path(Path name) {
        return paths.get(paths.size() - 1).resolve(name.getFileName());
    }

    /** Refuses from now on to write through links. */
    void stopFollowing() {
        followsLinks = false;
    }

    void checkFollowed(Path link) throws EntryRejectedException {
        if (!followsLinks) {
            throw inTheWay(link, "a link, and nothing is written through links");
        }
    }

    private EntryRejectedException inTheWay(Path path, String reason) {
        return new EntryRejectedException(name(path) + " is " + reason);
    }

    /** Fails if a file cannot be overwritten because it is no file. */
    void checkRegular(Path path, BasicFileAttributes existing) throws EntryRejectedException {
        if (existing.isDirectory()) {
            throw inTheWay(path, "a folder in the way of a file");
        } else if (!existing.isRegularFile()) {
            throw inTheWay(path, "or leads to a device, a pipe or a socket");
        }
    }

    /** Deletes a file or link of another entry, whose name the disk cannot distinguish from this one. */
    void deleteExisting(Path path, Path name) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new EntryRejectedException("another entry has taken its place");
        }
        Files.delete(path);
        warn(ExtractionWarning.Type.NAME_COLLISION, name, "");
    }

    /** Waits until a file in use is tried again, or throws the failure if it was tried long enough. */
    void pause(long millis, IOException failure) throws IOException {
        long next = Math.min(millis, MAX_PAUSE_MILLIS);
        if (closed || retryMillisLeft.addAndGet(-next) < 0) {
            throw failure;
        }
        try {
            writer.pause(next);
        } catch (InterruptedException e) {
            throw FileClaims.interrupted();
        }
    }

    /** Stops waiting for files that are in use. */
    void close() {
        closed = true;
        FileClaims.wake();
    }

    boolean isClosed() {
        return closed;
    }

    /** Makes the next search for a folder start at most this many names below the root. */
    void forgetFolders(int depth) {
        names.subList(depth, names.size()).clear();
        paths.subList(depth + 1, paths.size()).clear();
    }

    /** Returns a path for a message, relative to the root if it is below the root. */
    private String name(Path path) {
        return (path.startsWith(root) ? root.relativize(path) : path).toString();
    }

    void warn(ExtractionWarning.Type type, Path name, String reason) {
        synchronized (warnings) {
            warnings.merge(
                    type,
                    new ExtractionWarning(type, 1, name.toString(), reason),
                    (first, other) -> first.incremented());
        }
    }

    /** Returns at most one warning of each type. */
    public List<ExtractionWarning> warnings() {
        synchronized (warnings) {
            return List.copyOf(warnings.values());
        }
    }
}
