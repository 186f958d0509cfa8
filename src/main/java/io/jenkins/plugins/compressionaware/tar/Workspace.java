package io.jenkins.plugins.compressionaware.tar;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.text.Normalizer;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Unpacks a tar in place into a folder that others use, as core does, and opens only regular files. Existing files are overwritten, and existing
 * links may be followed. Links of the tar are created last, so that no file is written through them.
 */
@Restricted(NoExternalUse.class)
public final class Workspace extends OwnFolder {
    /** Core's own switch, which applies on controllers and agents alike. */
    private static final String FOLLOW_LINKS = "hudson.FilePath.ALLOW_UNTAR_SYMLINK_RESOLUTION";

    /** Total time, milliseconds, to wait on Windows for files that others hold open, such as virus scanners. */
    private static final long PATIENCE = 10_000;

    private static final long LONGEST_PAUSE = 500;

    /** How often to replace what is in the place of a link, because others may create links there, too. */
    private static final int TRIES = 10;

    /** Waits some milliseconds. A class, because a lambda costs a fresh agent tens of milliseconds. */
    static class Pause {
        void of(long millis) throws InterruptedException {
            Thread.sleep(millis);
        }
    }

    private final Pause pause;
    private final AtomicLong patience = new AtomicLong(PATIENCE);
    private final AtomicInteger arrived = new AtomicInteger();
    /** Files that are being written. Guarded by itself. */
    private final Set<String> open = new HashSet<>();

    /** Whether one thread reads and writes everything. */
    private boolean alone;

    private volatile boolean closed;

    /**
     * @param target       created if it does not exist; a link to a folder is followed, as by core
     * @param followsLinks whether to write through links in the target, unless core's switch on this machine says otherwise
     */
    public Workspace(Path target, boolean followsLinks) throws IOException {
        this(made(target), new FileWriter(target), followsLinks, new Pause());
    }

    Workspace(Path folder, FileWriter writer, boolean followsLinks, Pause pause) throws IOException {
        super(folder.toRealPath(), writer);
        String told = System.getProperty(FOLLOW_LINKS);
        this.followsLinks = told == null ? followsLinks : Boolean.parseBoolean(told);
        this.pause = pause;
        mostOfLinks = 16 << 20;
    }

    /** Creates the folder unless it exists: not every JDK accepts a link to a folder as existing. */
    private static Path made(Path target) throws IOException {
        return Files.isDirectory(target) ? target : Files.createDirectories(target);
    }

    /** Detected by {@link #open}. */
    @Override
    boolean tellsSpellings() {
        return true;
    }

    @Override
    Path existing(Path path, FileSystemException failure) throws IOException {
        BasicFileAttributes there = attributes(path);
        if (there == null) {
            throw failure;
        } else if (there.isDirectory() && !there.isOther()) {
            return path;
        } else if (!there.isSymbolicLink() && !there.isDirectory()) {
            throw inTheWay(path, "a file in the place of a folder");
        }
        checkFollowed(path);
        if (!Files.isDirectory(path)) {
            throw inTheWay(path, "a link that leads to no folder");
        }
        return path.toRealPath();
    }

    private void checkFollowed(Path link) throws RefusedException {
        if (!followsLinks) {
            throw inTheWay(link, "a link, and nothing is written through links");
        }
    }

    private RefusedException inTheWay(Path path, String what) {
        return new RefusedException(name(path) + " is " + what);
    }

    @Override
    OutputStream create(NewFile file, boolean shared) throws IOException {
        // releases the file of an earlier attempt
        ended(file, false);
        Path path = file.path();
        if (!isWindows || !Files.isSymbolicLink(path)) {
            begin(file, path);
            try {
                return createNew(file, shared);
            } catch (FileAlreadyExistsException e) {
                // overwrites it below
            }
        }
        if (Files.isSymbolicLink(path)) {
            checkFollowed(path);
            Path end = end(file, path);
            ended(file, false);
            begin(file, end);
        }
        BasicFileAttributes there = attributes(file.end());
        if (there != null && there.isDirectory()) {
            throw inTheWay(path, "a folder in the place of a file");
        } else if (there != null && !there.isRegularFile()) {
            throw inTheWay(path, "or leads to a device, a pipe or a socket");
        }
        return overwrite(file, shared);
    }

    private OutputStream createNew(NewFile file, boolean shared) throws IOException {
        OutputStream out = create(file.end(), file.mode(), shared);
        file.isNew();
        return out;
    }

    /** Returns the target of a link, in a path without links. Creates a missing target, as core does. */
    private static Path end(NewFile file, Path link) throws IOException {
        if (!Files.exists(link)) {
            Files.newOutputStream(link, StandardOpenOption.CREATE, StandardOpenOption.WRITE)
                    .close();
            file.isNew();
        }
        return link.toRealPath();
    }

    private OutputStream overwrite(NewFile file, boolean shared) throws IOException {
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
    private OutputStream replace(NewFile file, boolean shared, FileSystemException failure) throws IOException {
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
    private void begin(NewFile file, Path end) throws IOException {
        if (!alone) {
            synchronized (open) {
                while (!open.add(key(end))) {
                    try {
                        open.wait();
                    } catch (InterruptedException e) {
                        throw interrupted();
                    }
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

    @Override
    void ended(NewFile file, boolean whole) {
        if (!alone && file.end() != null) {
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

    @Override
    void arrived() {
        arrived.incrementAndGet();
    }

    /** Returns the number of entries that were written. */
    int count() {
        return arrived.get();
    }

    @Override
    void placeLink(Link link) throws IOException {
        for (int left = TRIES; ; left--) {
            try {
                writer.link(link.path(), link.target());
                arrived();
                return;
            } catch (FileAlreadyExistsException e) {
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
                warn(LandingWarning.Kind.FOLDER_KEPT, link.name(), "");
                return;
            }
        }
    }

    /**
     * Unpacks a small tar with as few classes as possible. A failure has placed no link, so {@link TarUnpacker} can start again.
     *
     * @return number of entries, and bytes of their contents
     */
    public long[] unpack(InputStream in) throws IOException {
        alone = true;
        close();
        long[] done = new long[2];
        try (TarReader tar = new TarReader(in, Long.MAX_VALUE)) {
            for (; tar.next(); done[0]++) {
                unpack(toPath(tar.name()), tar);
                done[1] += tar.kind() == '0' ? tar.size() : 0;
            }
            for (Link link : kept()) {
                place(link);
            }
        } catch (InvalidPathException e) {
            throw new IOException(e);
        }
        return done;
    }

    private void unpack(Path name, TarReader tar) throws IOException {
        boolean isFolder = tar.kind() == '5' || tar.name().endsWith("/");
        boolean isLink = !isFolder && tar.kind() == '2';
        check(isLink ? name.getParent() : name);
        makeFolder(isFolder ? name : name.getParent());
        if (isFolder
                || isLink
                        && placeable(new Link(
                                        name, path(name), root.getFileSystem().getPath(tar.target())))
                                .isEmpty()) {
            return;
        } else if (tar.kind() != '0') {
            throw RefusedException.ofKind();
        }
        FileTime modified = FileTime.from(tar.seconds(), TimeUnit.SECONDS);
        NewFile file = new NewFile(this, name, path(name), tar.name(), tar.mode(), modified);
        try {
            try (OutputStream out = file.create(false)) {
                byte[] content = tar.readNBytes((int) Math.min(tar.size(), Integer.MAX_VALUE));
                if (content.length < tar.size()) {
                    throw new EOFException();
                }
                out.write(content);
            }
            file.finish();
        } catch (IOException e) {
            file.fail(e);
            throw e;
        }
    }

    /** Stops waiting for files. */
    @Override
    void close() {
        closed = true;
    }
}
