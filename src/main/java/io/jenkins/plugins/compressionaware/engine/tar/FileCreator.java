package io.jenkins.plugins.compressionaware.engine.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;

/** Creates files below one folder, with mode and modification time, in few system calls. Tests replace its methods. Thread-safe. */
class FileCreator {
    private static final Set<OpenOption> NEW = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    /** Whether files have permissions and identities. */
    final boolean posix;

    FileCreator(Path folder) {
        posix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /**
     * Creates a file at a path that must not exist, not even as a dangling link.
     *
     * @param mode   permissions; if 0, the default permissions apply, as in core
     * @param shared whether to set the permissions in the same disk operation. The thread must then not be interrupted, because that would close the file
     */
    OutputStream create(Path path, int mode, boolean shared) throws IOException {
        if (shared && posix && mode != 0) {
            FileAttribute<?> wanted = PosixFilePermissions.asFileAttribute(TarReader.permissions(mode));
            return Channels.newOutputStream(Files.newByteChannel(path, NEW, wanted));
        }
        return Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    /** Truncates an existing file. Fails for a link. */
    OutputStream overwrite(Path path) throws IOException {
        return Files.newOutputStream(
                path, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Sets the permissions of a file before any content is written, which may be confidential.
     *
     * @param now   attributes of the file, if known. Permissions that cannot be set again, or that the umask or an ACL has already set, are accepted
     * @param isNew whether the file was just created. Permissions of an older file are always set, which clears a setuid bit
     */
    void permit(Path path, int mode, @CheckForNull BasicFileAttributes now, boolean isNew) throws IOException {
        if (!posix || mode == 0) {
            return;
        }
        Set<PosixFilePermission> wanted = TarReader.permissions(mode);
        boolean done = now instanceof PosixFileAttributes known && wanted.equals(known.permissions());
        if (done && isNew) {
            return;
        }
        try {
            Files.setPosixFilePermissions(path, wanted);
        } catch (IOException e) {
            if (!done) {
                throw e;
            }
        }
    }

    /** Returns the attributes of a path itself, even if it is a link; null if the path does not exist. */
    @CheckForNull
    BasicFileAttributes attributes(Path path) throws IOException {
        try {
            Class<? extends BasicFileAttributes> kind = posix ? PosixFileAttributes.class : BasicFileAttributes.class;
            return Files.readAttributes(path, kind, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Returns a new path beside a file, for a replacement that is not complete. */
    static Path partial(Path file) {
        return file.resolveSibling("." + UUID.randomUUID() + ".partial");
    }

    /** Renames a file or link, and replaces an existing one. */
    void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Creates a symbolic link. The path must not exist. */
    void link(Path path, Path target) throws IOException {
        Files.createSymbolicLink(path, target);
    }

    /** Waits until a file in use is tried again. */
    void pause(long millis) throws InterruptedException {
        Thread.sleep(millis);
    }

    /** Sets the time to the millisecond. {@link Files} must open the file for this, but reports why it fails, and supports times before 1970. */
    void setLastModified(Path path, FileTime modified) throws IOException {
        long millis = modified.toMillis();
        boolean hasFile = path.getFileSystem() == FileSystems.getDefault();
        if (millis < 0 || !hasFile || !path.toFile().setLastModified(millis)) {
            Files.setLastModifiedTime(path, modified);
        }
    }
}
