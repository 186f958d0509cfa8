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
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Writes files with mode and time stamp, below one folder, in few system calls. Any thread may use it. */
class FileCreator {
    private static final int PERMISSION_BITS = 0777;

    private static final Set<OpenOption> NEW = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    private final boolean posix;
    private final Map<Integer, Set<PosixFilePermission>> permissions = new ConcurrentHashMap<>();

    FileCreator(Path folder) {
        posix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /**
     * Creates a file that must not exist yet, not even as a link. It gets its permissions before any content, which not everyone may be allowed to read.
     *
     * @param mode the lower nine bits are the permissions; if all are 0, the default ones apply, as in core
     */
    OutputStream create(Path path, int mode) throws IOException {
        return permitted(
                path,
                mode,
                false,
                Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    }

    /** Sets permissions only if they differ, because a new file may have them from the umask or an ACL of its folder. */
    private OutputStream permitted(Path path, int mode, boolean mustOwn, OutputStream out) throws IOException {
        int bits = mode & PERMISSION_BITS;
        try {
            if (posix && bits != 0) {
                Set<PosixFilePermission> wanted = permissions(bits);
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

    /** Uses no lambda, because a lambda costs a fresh agent tens of milliseconds. */
    private Set<PosixFilePermission> permissions(int bits) {
        Set<PosixFilePermission> known = permissions.get(bits);
        if (known == null) {
            known = TarReader.permissions(bits);
            permissions.put(bits, known);
        }
        return known;
    }

    /** Truncates an existing file that is not a link. The file gets its permissions before any content, like a new file. */
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

    /**
     * Like {@link #create}, for a thread that nobody interrupts: the file gets its permissions when it is created, which spares a network disk an operation.
     */
    OutputStream createUninterrupted(Path path, int mode) throws IOException {
        int bits = mode & PERMISSION_BITS;
        if (!posix || bits == 0) {
            return create(path, mode);
        }
        FileAttribute<?> wanted = PosixFilePermissions.asFileAttribute(permissions(bits));
        return permitted(path, mode, false, Channels.newOutputStream(Files.newByteChannel(path, NEW, wanted)));
    }

    /** Creates a link where nothing is. */
    void link(Path path, Path target) throws IOException {
        Files.createSymbolicLink(path, target);
    }

    /** Sets the time to the millisecond. {@link Files} would open the file for this, but only it gives a reason and handles times before 1970. */
    void setLastModified(Path path, FileTime modified) throws IOException {
        long millis = modified.toMillis();
        boolean hasFile = path.getFileSystem() == FileSystems.getDefault();
        if (millis < 0 || !hasFile || !path.toFile().setLastModified(millis)) {
            Files.setLastModifiedTime(path, modified);
        }
    }
}
