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
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Creates files with content, mode and time stamp. Used by one thread. */
final class FileWriter {
    private static final boolean POSIX = File.pathSeparatorChar == ':';
    private static final int PERMISSION_BITS = 0777;

    private final byte[] buffer = new byte[128 * 1024];
    private final Map<Integer, Set<PosixFilePermission>> permissions = new HashMap<>();

    /**
     * Creates a file that must not exist yet.
     *
     * @param mode the lower nine bits are set as permissions; none at all means the default ones, as in core
     */
    void write(Path path, InputStream content, long size, int mode, FileTime modified) throws IOException {
        try (FileChannel out = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
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
        Files.setLastModifiedTime(path, modified);
        if (POSIX && (mode & PERMISSION_BITS) != 0) {
            Files.setPosixFilePermissions(
                    path, permissions.computeIfAbsent(mode & PERMISSION_BITS, FileWriter::permissions));
        }
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
        for (PosixFilePermission permission : PosixFilePermission.values()) {
            if ((mode & 0400 >> permission.ordinal()) != 0) {
                set.add(permission);
            }
        }
        return set;
    }
}
