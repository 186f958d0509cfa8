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
import java.util.stream.Stream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Deduplicates each file of an archive that equals the file of the same name in a reference archive, byte for byte. Both builds must be finished, because a
 * write through one hard link changes all. Used by one thread, which may be interrupted: each file is replaced by one rename, or stays unchanged.
 */
@Restricted(NoExternalUse.class)
public final class FileDeduplicator {
    /** How two files share disk space. */
    public enum Method {
        /** Two files that share blocks until one is written, see {@link ReferenceArchive#hasReflinks}. */
        REFLINKS,
        /** Two names of one file. */
        HARDLINKS
    }

    /** Minimum size of a file, bytes: one block of a disk. */
    private static final long MIN_FILE_BYTES = 4096;

    /** Maximum depth of the walk, which keeps two descriptors open for each level. Deeper files stay unchanged. */
    private static final int MAX_DEPTH = 100;

    /** Maximum number of hard links to a file. ext4 allows 65,000, some file systems fewer. */
    private static final int MAX_LINKS = 1000;

    private static final Logger LOGGER = Logger.getLogger(FileDeduplicator.class.getName());

    private final Path reference;
    private final Path archive;
    private final Method method;
    private final Path partial;
    private final Lock lock;
    private long bytes;

    private FileDeduplicator(Path reference, Path archive, Method method, Path partial, Lock lock) {
        this.reference = reference;
        this.archive = archive;
        this.method = method;
        this.partial = partial;
        this.lock = lock;
    }

    /**
     * Deduplicates all files of an archive.
     *
     * @param journal records the staging folder; null for no record
     * @return bytes of the files that now share disk space
     */
    public static long share(Path reference, Path archive, Method method, @CheckForNull StagingJournal journal)
            throws IOException {
        if (method == Method.REFLINKS && !ReferenceArchive.hasReflinks(archive)) {
            return 0;
        }
        return shareWithoutReflinkCheck(reference, archive, method, journal);
    }

    /** Deduplicates files whether or not the file system has reflinks. */
    static long shareWithoutReflinkCheck(
            Path reference, Path archive, Method method, @CheckForNull StagingJournal journal) throws IOException {
        Path real = archive.toRealPath();
        try (StagedArchive staged = new StagedArchive(real, journal, new FileOperations())) {
            Path partial = staged.folder().resolve("file");
            return new FileDeduplicator(reference.toRealPath(), real, method, partial, staged.lock.lock()).walk();
        }
    }

    private long walk() throws IOException {
        Files.walkFileTree(archive, Set.of(), MAX_DEPTH, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (Thread.currentThread().isInterrupted()) {
                    return FileVisitResult.TERMINATE;
                }
                if (attributes.isRegularFile()
                        && attributes.size() >= MIN_FILE_BYTES
                        && tryShare(file, attributes.size())) {
                    bytes += attributes.size();
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }
        });
        return bytes;
    }

    private boolean tryShare(Path file, long size) {
        Path other = reference.resolve(archive.relativize(file));
        try {
            return isPlain(other, size) && share(other, file);
        } catch (IOException | RuntimeException e) {
            LOGGER.log(Level.FINE, e, () -> file + " cannot be deduplicated");
            return false;
        }
    }

    /** Returns whether the path is a regular file of this size, and neither it nor a folder above it is a link. */
    private static boolean isPlain(Path file, long size) throws IOException {
        BasicFileAttributes attributes = FileOperations.attributes(file);
        return attributes != null
                && attributes.isRegularFile()
                && attributes.size() == size
                && file.toRealPath().equals(file);
    }

    private boolean share(Path other, Path file) throws IOException {
        Map<String, Object> before = attributes(file);
        boolean links = method == Method.HARDLINKS;
        // compare before a copy, because a copy may cost more
        if (links ? !mayLink(attributes(other), before) : Files.mismatch(other, file) >= 0) {
            return false;
        }
        try {
            if (links) {
                Files.createLink(partial, other);
            } else {
                copy(other, file);
            }
            // compare the copy, because the original may change
            return Files.mismatch(partial, file) < 0 && replace(file, before);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    /** Replaces the file by its deduplicated copy. Returns false if another process has replaced or changed the file. */
    private boolean replace(Path file, Map<String, Object> before) throws IOException {
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

    /** Writes a file from the page cache to the disk. Opens it for reading, because it may be read-only. */
    static void sync(Path file) throws IOException {
        try (FileInputStream in = new FileInputStream(file.toFile())) {
            in.getFD().sync();
        }
    }

    /** Reads all attributes except the access time, which each read of the file changes. */
    private static Map<String, Object> attributes(Path file) throws IOException {
        return Files.readAttributes(
                file, "unix:mode,uid,gid,nlink,dev,ino,size,lastModifiedTime,ctime", LinkOption.NOFOLLOW_LINKS);
    }

    private static boolean mayLink(Map<String, Object> other, Map<String, Object> file) {
        return Stream.of("mode", "uid", "gid", "dev")
                        .allMatch(name -> other.get(name).equals(file.get(name)))
                && !other.get("ino").equals(file.get("ino"))
                && (int) other.get("nlink") < MAX_LINKS;
    }

    private void copy(Path other, Path file) throws IOException {
        FileTime modified = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS);
        Files.copy(other, partial);
        Files.setPosixFilePermissions(partial, Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
        Files.setLastModifiedTime(partial, modified);
        // without reflinks, the copy has blocks that a power failure could lose after the rename
        sync(partial);
    }
}
