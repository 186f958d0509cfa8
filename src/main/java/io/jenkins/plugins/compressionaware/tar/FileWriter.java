package io.jenkins.plugins.compressionaware.tar;

import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Creates files with content, mode and time stamp, below one folder, in few system calls. Used by one thread. */
final class FileWriter {
    private static final boolean POSIX = File.pathSeparatorChar == ':';
    private static final int PERMISSION_BITS = 0777;
    private static final Set<StandardOpenOption> NEW = Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
    private static final FileAttribute<?>[] DEFAULT = {};

    private final byte[] buffer = new byte[128 * 1024];
    private final Map<Integer, Permissions> permissions = new HashMap<>();

    /**
     * Creates a file that must not exist yet.
     *
     * @param mode the lower nine bits are set as permissions; none at all means the default ones, as in core
     */
    void write(Path path, InputStream content, long size, int mode, FileTime modified) throws IOException {
        Permissions wanted = POSIX && (mode & PERMISSION_BITS) != 0
                ? permissions.computeIfAbsent(mode & PERMISSION_BITS, Permissions::new)
                : null;
        try (FileChannel out = FileChannel.open(path, NEW, wanted != null ? wanted.attributes : DEFAULT)) {
            copy(content, size, out);
        }
        if (wanted != null) {
            wanted.complete(path);
        }
        setLastModified(path, modified);
    }

    private void copy(InputStream content, long size, FileChannel out) throws IOException {
        long left = size;
        while (left > 0) {
            int n = content.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (n < 0) {
                throw new EOFException("the stream ended " + left + " bytes too early");
            }
            ByteBuffer chunk = ByteBuffer.wrap(buffer, 0, n);
            while (chunk.hasRemaining()) {
                out.write(chunk);
            }
            left -= n;
        }
    }

    /** To the millisecond. The method of {@link Files} opens the file for it, but alone gives a reason and knows the time before 1970. */
    private static void setLastModified(Path path, FileTime modified) throws IOException {
        long millis = modified.toMillis();
        if (millis < 0 || !path.toFile().setLastModified(millis)) {
            Files.setLastModifiedTime(path, modified);
        }
    }

    /** One set of permissions. The process's umask may take some away from a new file; whether it does, the first file tells. */
    private static final class Permissions {
        private final Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
        private final FileAttribute<?>[] attributes;
        private Boolean masked;

        Permissions(int mode) {
            for (PosixFilePermission permission : PosixFilePermission.values()) {
                if ((mode & 0400 >> permission.ordinal()) != 0) {
                    set.add(permission);
                }
            }
            attributes = new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(set)};
        }

        /** Gives a file that was created with the attributes those that it lacks. */
        void complete(Path path) throws IOException {
            if (masked == null) {
                masked = !Files.getPosixFilePermissions(path).equals(set);
            }
            if (masked) {
                Files.setPosixFilePermissions(path, set);
            }
        }
    }
}
