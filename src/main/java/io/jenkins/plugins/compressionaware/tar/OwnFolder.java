package io.jenkins.plugins.compressionaware.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The private folder into which an untrusted tar is unpacked. Every parent of a file is a real folder, created here or verified on disk, because a
 * name may have more spellings than can be listed (case, Unicode, short names of Windows). One thread creates folders and links; any thread may write
 * files.
 */
class OwnFolder {
    /** Heap of a link beside its characters, bytes. */
    private static final int AROUND = 512;

    final Path root;
    final FileWriter writer;
    /** Windows does not promise that creating a file never follows a dangling link of that name. */
    final boolean isWindows;
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

    volatile boolean followsLinks;
    private volatile boolean hasLinks;
    private final Map<LandingWarning.Kind, LandingWarning> warnings = new EnumMap<>(LandingWarning.Kind.class);

    OwnFolder(Path root, FileWriter writer) {
        this.root = root;
        this.writer = writer;
        paths.add(root);
        // Jimfs can imitate Windows
        isWindows = root.getFileSystem().getSeparator().equals("\\");
    }

    /**
     * Returns the path that the name of an entry stands for, relative to the root and without {@code ..}; never empty.
     *
     * @throws IOException that names the entry, if there is no such path
     */
    final Path toPath(String name) throws IOException {
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
    final boolean makeFolder(@CheckForNull Path name) throws IOException {
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
                isNew &= tellsSpellings();
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

    /** Whether {@link #create} itself detects two spellings of one file. */
    boolean tellsSpellings() {
        return false;
    }

    /**
     * Returns the real path of a folder that exists already.
     *
     * @param failure why the folder could not be created
     */
    Path existing(Path path, FileSystemException failure) throws IOException {
        if (!(failure instanceof FileAlreadyExistsException)) {
            throw failure;
        } else if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new RefusedException(name(path) + " is no folder but was sent as something else");
        }
        return path;
    }

    /** Returns the path of an entry in the folder that was made last. */
    final Path path(Path name) {
        return paths.get(paths.size() - 1).resolve(name.getFileName());
    }

    /**
     * Creates a file.
     *
     * @param shared whether other threads write files at the same time
     * @throws FileAlreadyExistsException if the name exists; call {@link #makeRoom} when no other file of the folder is being written
     */
    OutputStream create(NewFile file, boolean shared) throws IOException {
        if (isWindows && hasLinks && Files.isSymbolicLink(file.path())) {
            throw new FileAlreadyExistsException(file.path().toString());
        }
        return create(file.path(), file.mode(), shared);
    }

    final OutputStream create(Path path, int mode, boolean shared) throws IOException {
        return shared ? writer.createUninterrupted(path, mode) : writer.create(path, mode);
    }

    /** Removes a file or link whose name is the same on this disk as that of another entry. */
    void makeRoom(NewFile file) throws IOException {
        remove(file.path());
        warn(LandingWarning.Kind.NAME_TAKEN, file.name(), "");
    }

    /** Called after a file was written or has failed. */
    void ended(NewFile file, boolean whole) {
        // there is nothing to count
    }

    final void remove(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new RefusedException("another entry has taken its place");
        }
        Files.delete(path);
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
    final void check(@CheckForNull Path name) throws RefusedException {
        for (Path part = name; part != null && !links.isEmpty(); part = part.getParent()) {
            if (links.containsKey(part)) {
                throw new RefusedException(part + " is no folder but was sent as something else");
            }
        }
    }

    /** Returns the links to place now, in this order, once no file is being written; empty if this link is {@link #kept}. */
    final List<Link> placeable(Link link) {
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
    final List<Link> kept() {
        List<Link> kept = new ArrayList<>(links.values());
        Collections.sort(kept);
        links.clear();
        return kept;
    }

    /** Creates a link, or warns if it cannot be created, as core does. */
    final void place(Link link) throws IOException {
        try {
            placeLink(link);
        } catch (UnsupportedOperationException e) {
            warn(LandingWarning.Kind.LINK_LEFT_OUT, link.name, String.valueOf(e.getMessage()));
        } catch (FileSystemException e) {
            warn(LandingWarning.Kind.LINK_LEFT_OUT, link.name, NewFile.reason(e));
        }
    }

    void placeLink(Link link) throws IOException {
        hasLinks = true;
        try {
            writer.link(link.path, link.target);
        } catch (FileAlreadyExistsException e) {
            remove(link.path);
            writer.link(link.path, link.target);
            warn(LandingWarning.Kind.NAME_TAKEN, link.name, "");
        }
    }

    /** Called after a folder or link was created. */
    void arrived() {
        // there is nothing to count
    }

    /** Stops waiting for files. */
    void close() {
        // never waits
    }

    /** Makes the next lookup of a folder start at the root. */
    final void forgetFolders() {
        current = null;
        paths.subList(1, paths.size()).clear();
    }

    /** Returns a path for a message: relative to the root, or unchanged if it is outside. */
    final String name(Path path) {
        return (path.startsWith(root) ? root.relativize(path) : path).toString();
    }

    /** Returns the attributes without following a link; null if the path does not exist. */
    @CheckForNull
    static BasicFileAttributes attributes(Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    final void warn(LandingWarning.Kind kind, Path name, String reason) {
        synchronized (warnings) {
            warnings.merge(
                    kind, new LandingWarning(kind, 1, name.toString(), reason), (first, other) -> first.oneMore());
        }
    }

    /** At most one of each kind. */
    public final List<LandingWarning> warnings() {
        synchronized (warnings) {
            return List.copyOf(warnings.values());
        }
    }
}
