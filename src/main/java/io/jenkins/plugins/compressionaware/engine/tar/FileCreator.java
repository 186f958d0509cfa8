package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Creates files below one folder, with mode and modification time, in few system calls. Tests replace its methods. Thread-safe. */
class FileCreator {
    private static final Set<OpenOption> NEW = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    private final boolean posix;

    FileCreator(Path folder) {
        posix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /**
     * Creates a file at a path that must not exist, not even as a dangling link. Sets the permissions before any content is written, which may be confidential.
     *
     * @param mode   permissions; if 0, the default permissions apply, as in core
     * @param shared whether to set the permissions in the same disk operation. The thread must then not be interrupted, because that would close the file
     */
    OutputStream create(Path path, int mode, boolean shared) throws IOException {
        OutputStream out;
        if (shared && posix && mode != 0) {
            FileAttribute<?> wanted = PosixFilePermissions.asFileAttribute(TarReader.permissions(mode));
            out = Channels.newOutputStream(Files.newByteChannel(path, NEW, wanted));
        } else {
            out = Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        }
        return permitted(path, mode, false, out);
    }

    /** Sets the permissions. If {@code mustOwn}, fails for a file of another user; otherwise accepts permissions that the umask or an ACL has already set. */
    private OutputStream permitted(Path path, int mode, boolean mustOwn, OutputStream out) throws IOException {
        try {
            if (posix && mode != 0) {
                Set<PosixFilePermission> wanted = TarReader.permissions(mode);
                if (mustOwn || !wanted.equals(Files.getPosixFilePermissions(path))) {
                    Files.setPosixFilePermissions(path, wanted);
                }
            }
        } catch (IOException | RuntimeException e) {
            out.close();
            throw e;
        }
        return out;
    }

    /** Truncates an existing file, and sets its permissions before any content is written. Fails for a link. */
    OutputStream overwrite(Path path, int mode) throws IOException {
        return permitted(
                path,
                mode,
                true,
                Files.newOutputStream(
                        path,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        LinkOption.NOFOLLOW_LINKS));
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
