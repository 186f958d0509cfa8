package io.jenkins.plugins.compressionaware.engine.staging;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.delta.ReferenceArchive;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
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
public final class FileDeduplicator {
    /** How two files share the disk. */
    public enum Method {
        /** Two files that share blocks until one is written, see {@link ReferenceArchive#hasReflinks}. */
        REFLINKS,
        /** Two names of one file. */
        HARDLINKS
    }

    /** Smallest file to share, bytes: a block of the disk. */
    private static final long MIN_FILE_BYTES = 4096;

    /** Deeper content stays as it is: a walk keeps two descriptors per folder on its way. */
    private static final int MAX_DEPTH = 100;

    /** Most names of a file: ext4 allows 65,000, some file systems fewer. */
    private static final int MAX_LINKS = 1000;

    private static final Logger LOGGER = Logger.getLogger(FileDeduplicator.class.getName());

    private final Path earlier;
    private final Path archive;
    private final Method sharing;
    private final Path partial;
    private final Lock lock;
    private long bytes;

    private FileDeduplicator(Path earlier, Path archive, Method sharing, Path partial, Lock lock) {
        this.earlier = earlier;
        this.archive = archive;
        this.sharing = sharing;
        this.partial = partial;
        this.lock = lock;
    }

    /**
     * Looks at all files of an archive.
     *
     * @param notes see {@link StagedArchive}
     * @return bytes of the files that now share the disk
     */
    public static long share(Path earlier, Path archive, Method sharing, @CheckForNull StagingJournal notes)
            throws IOException {
        if (sharing == Method.REFLINKS && !ReferenceArchive.hasReflinks(archive)) {
            return 0;
        }
        return anywhere(earlier, archive, sharing, notes);
    }

    /** Shares files on any file system. */
    static long anywhere(Path earlier, Path archive, Method sharing, @CheckForNull StagingJournal notes)
            throws IOException {
        Path real = archive.toRealPath();
        try (StagedArchive staged = new StagedArchive(new FileOperations(), real, notes);
                ArchiveLock lock = new ArchiveLock(real)) {
            FileDeduplicator unchanged = new FileDeduplicator(
                    earlier.toRealPath(), real, sharing, staged.folder().resolve("file"), lock.lock());
            unchanged.walk();
            return unchanged.bytes;
        }
    }

    private void walk() throws IOException {
        Files.walkFileTree(archive, Set.of(), MAX_DEPTH, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (Thread.currentThread().isInterrupted()) {
                    return FileVisitResult.TERMINATE;
                }
                if (attributes.isRegularFile() && attributes.size() >= MIN_FILE_BYTES) {
                    tryShare(file, attributes.size());
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private void tryShare(Path file, long size) {
        Path other = earlier.resolve(archive.relativize(file));
        try {
            if (isPlain(other, size) && share(other, file)) {
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
        if (sharing == Method.HARDLINKS && !mayLink(attributes(other), before)) {
            return false;
        }
        // a copy may cost more than a comparison
        if (sharing == Method.REFLINKS && Files.mismatch(other, file) >= 0) {
            return false;
        }
        try {
            if (sharing == Method.REFLINKS) {
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
        if (sharing == Method.REFLINKS) {
            // without reflinks this is a real copy, which a power failure could destroy after the rename
            sync(partial);
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

    /** Opens for reading, because the file may be read-only. */
    static void sync(Path file) throws IOException {
        try (FileInputStream in = new FileInputStream(file.toFile())) {
            in.getFD().sync();
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
                && (int) other.get("nlink") < MAX_LINKS;
    }

    private void copy(Path other, Path file) throws IOException {
        FileTime modified = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS);
        Files.copy(other, partial);
        Files.setPosixFilePermissions(partial, Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
        Files.setLastModifiedTime(partial, modified);
    }
}
