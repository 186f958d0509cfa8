package io.jenkins.plugins.compressionaware.tar;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * Creates files with content, mode and time stamp, below one folder, in few system calls. Used by one thread, which may be interrupted at
 * any time: an interrupt neither waits for a write that is stuck nor breaks one off.
 */
final class FileWriter {
    private static final int PERMISSION_BITS = 0777;

    private final boolean posix;
    private final byte[] buffer = new byte[128 * 1024];
    private final Map<Integer, Set<PosixFilePermission>> permissions = new HashMap<>();
    private final LongAdder written = new LongAdder();
    /** What the process's umask leaves to a new file; null until the first file has told. */
    private Set<PosixFilePermission> usual;

    FileWriter(Path folder) {
        posix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /**
     * Creates a file that must not exist yet, not even as a link.
     *
     * @param mode the lower nine bits are set as permissions; none at all means the default ones, as in core
     */
    void write(Path path, InputStream content, long size, int mode, FileTime modified) throws IOException {
        // not a FileChannel: Thread.interrupt() would close it, and wait for the disk with whatever lock its caller
        // holds
        try (OutputStream out = Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            setPermissions(path, mode & PERMISSION_BITS);
            copy(content, size, out);
        }
        setLastModified(path, modified);
    }

    /** Bytes written so far. Any thread may ask. */
    long written() {
        return written.sum();
    }

    /** Called before there is any content that only some may read. */
    private void setPermissions(Path path, int mode) throws IOException {
        if (!posix || mode == 0) {
            return;
        }
        if (usual == null) {
            usual = Files.getPosixFilePermissions(path);
        }
        Set<PosixFilePermission> wanted = permissions.computeIfAbsent(mode, FileWriter::permissions);
        if (!wanted.equals(usual)) {
            Files.setPosixFilePermissions(path, wanted);
        }
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
        for (PosixFilePermission permission : PosixFilePermission.values()) {
            // the constants are declared from the owner's read bit (0400) down to the others' execute bit (0001)
            if ((mode & 0400 >> permission.ordinal()) != 0) {
                set.add(permission);
            }
        }
        return set;
    }

    private void copy(InputStream content, long size, OutputStream out) throws IOException {
        long left = size;
        while (left > 0) {
            int n = content.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (n < 0) {
                throw new EOFException("the stream ended " + left + " bytes too early");
            }
            out.write(buffer, 0, n);
            written.add(n);
            left -= n;
        }
    }

    /** To the millisecond. The method of {@link Files} opens the file for it, but alone gives a reason and knows the time before 1970. */
    private static void setLastModified(Path path, FileTime modified) throws IOException {
        long millis = modified.toMillis();
        boolean hasFile = path.getFileSystem() == FileSystems.getDefault();
        if (millis < 0 || !hasFile || !path.toFile().setLastModified(millis)) {
            Files.setLastModifiedTime(path, modified);
        }
    }
}
