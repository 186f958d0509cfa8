package io.jenkins.plugins.compressionaware.staging;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Lets the files of an archive share the disk with those of the same name in an earlier one, if they are equal byte for byte. Both builds must be over,
 * since a write to one hard link changes them all. Used by one thread, which may be interrupted: each file is replaced by one rename or stays as it is.
 */
@Restricted(NoExternalUse.class)
public final class UnchangedFiles {
    /** How two files share the disk. */
    public enum Sharing {
        /** Two files with the same blocks until somebody writes to one: XFS, Btrfs and others, with JDK 21 or newer. */
        REFLINKS,
        /** Two names of one file. */
        HARD_LINKS
    }

    /** The files that now share the disk, and their bytes. */
    public record Shared(int files, long bytes) {}

    /** An older JDK copies by reading and writing. */
    private static final int FIRST_WITH_REFLINKS = 21;

    /** Each copy has its own blocks on these file systems, but would be counted as sharing them. */
    private static final Set<String> WITHOUT_REFLINKS = Set.of("ext2", "ext3", "ext4", "tmpfs");

    /** Smallest file to share, bytes: a block of the disk. */
    private static final long LEAST = 4096;

    /** Deeper content stays as it is: a walk keeps two descriptors per folder on its way. */
    private static final int DEEPEST = 100;

    /** Most names of a file: ext4 allows 65,000, some file systems fewer. */
    private static final int MOST_LINKS = 1000;

    private static final Logger LOGGER = Logger.getLogger(UnchangedFiles.class.getName());

    private final Path earlier;
    private final Path archive;
    private final Sharing sharing;
    private final Path partial;
    private final Lock lock;
    private int files;
    private long bytes;

    private UnchangedFiles(Path earlier, Path archive, Sharing sharing, Path partial, Lock lock) {
        this.earlier = earlier;
        this.archive = archive;
        this.sharing = sharing;
        this.partial = partial;
        this.lock = lock;
    }

    /**
     * Looks at all files of an archive.
     *
     * @param notes see {@link StagedTree}
     */
    public static Shared share(Path earlier, Path archive, Sharing sharing, @CheckForNull Notes notes)
            throws IOException {
        if (sharing == Sharing.REFLINKS && !mayHaveReflinks(archive)) {
            return new Shared(0, 0);
        }
        Path real = archive.toRealPath();
        try (StagedTree staged = new StagedTree(real, notes);
                ArchiveLock lock = new ArchiveLock(real)) {
            UnchangedFiles unchanged = new UnchangedFiles(
                    earlier.toRealPath(), real, sharing, staged.folder().resolve("file"), lock.lock());
            unchanged.walk();
            return new Shared(unchanged.files, unchanged.bytes);
        }
    }

    private static boolean mayHaveReflinks(Path archive) throws IOException {
        return Runtime.version().feature() >= FIRST_WITH_REFLINKS
                && !WITHOUT_REFLINKS.contains(Files.getFileStore(archive).type());
    }

    private void walk() throws IOException {
        Files.walkFileTree(archive, Set.of(), DEEPEST, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (Thread.currentThread().isInterrupted()) {
                    return FileVisitResult.TERMINATE;
                }
                if (attributes.isRegularFile() && attributes.size() >= LEAST) {
                    look(file, attributes.size());
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private void look(Path file, long size) {
        Path other = earlier.resolve(archive.relativize(file));
        try {
            if (isPlain(other, size) && share(other, file)) {
                files++;
                bytes += size;
            }
        } catch (IOException | RuntimeException e) {
            LOGGER.log(Level.FINE, e, () -> file + " keeps blocks of its own");
        }
    }

    /** Whether this is a file of this size, and neither it nor a folder above it is a link. */
    private static boolean isPlain(Path file, long size) throws IOException {
        BasicFileAttributes attributes = FileOperations.attributes(file);
        return attributes != null
                && attributes.isRegularFile()
                && attributes.size() == size
                && file.toRealPath().equals(file);
    }

    private boolean share(Path other, Path file) throws IOException {
        Map<String, Object> before = attributes(file);
        if (sharing == Sharing.HARD_LINKS && !mayLink(attributes(other), before)) {
            return false;
        }
        try {
            if (sharing == Sharing.REFLINKS) {
                copy(other, file);
            } else {
                Files.createLink(partial, other);
            }
            // compares the file that will be there, not the one that it was made of
            return Files.mismatch(partial, file) < 0 && replace(file, before);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    /** @return false if somebody has replaced or changed the file since */
    private boolean replace(Path file, Map<String, Object> before) throws IOException {
        if (sharing == Sharing.REFLINKS) {
            // on a disk without reflinks this is a plain copy, which a power failure may destroy after the rename has
            // replaced the durable file. Opened for reading, as the copy may be read-only
            try (FileChannel copy = FileChannel.open(partial, StandardOpenOption.READ)) {
                copy.force(true);
            }
        }
        lock.lock();
        try {
            if (!attributes(file).equals(before)) {
                return false;
            }
            new FileOperations().rename(partial, file);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** All but the time of the last access, which changes as the file is read. */
    private static Map<String, Object> attributes(Path file) throws IOException {
        return Files.readAttributes(
                file, "unix:mode,uid,gid,nlink,dev,ino,size,lastModifiedTime,ctime", LinkOption.NOFOLLOW_LINKS);
    }

    private static boolean mayLink(Map<String, Object> other, Map<String, Object> file) {
        return other.get("mode").equals(file.get("mode"))
                && other.get("uid").equals(file.get("uid"))
                && other.get("gid").equals(file.get("gid"))
                && other.get("dev").equals(file.get("dev"))
                && !other.get("ino").equals(file.get("ino"))
                && (int) other.get("nlink") < MOST_LINKS;
    }

    private void copy(Path other, Path file) throws IOException {
        FileTime modified = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS);
        PosixFileAttributeView view = Files.getFileAttributeView(partial, PosixFileAttributeView.class);
        try (InputStream in = Files.newInputStream(other, LinkOption.NOFOLLOW_LINKS);
                OutputStream out =
                        Files.newOutputStream(partial, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            view.setPermissions(Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
            in.transferTo(out);
        }
        view.setTimes(modified, null, null);
    }
}
