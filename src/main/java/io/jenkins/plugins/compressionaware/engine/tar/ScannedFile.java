package io.jenkins.plugins.compressionaware.engine.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;

/**
 * A file as it was when it was scanned.
 *
 * @param attributes attributes to send, except the size, which is read from the open file
 * @param target     target of a link that is sent as a link; otherwise null
 * @param content    content of a small file; null if it was not read
 * @param nanos      duration of the scan, nanoseconds
 */
record ScannedFile(
        Path path,
        BasicFileAttributes attributes,
        @CheckForNull String target,
        @CheckForNull byte[] content,
        long nanos) {
    /** Maximum size of a file whose content is read by the scan, bytes. */
    static final int MAX_PRELOADED_BYTES = 128 * 1024;

    /**
     * Reads the attributes of a file, and the content if the file is small.
     *
     * @param name path relative to the workspace, even with a leading slash, as in core's {@code ExplicitlySpecifiedDirScanner}
     * @throws FileSystemException also for a FIFO or device, because opening one could block or have side effects
     */
    static ScannedFile in(Path workspace, String name) throws IOException {
        long start = System.nanoTime();
        Path path = workspace.getFileSystem().getPath(workspace.toString(), name);
        BasicFileAttributes attributes = attributes(path, LinkOption.NOFOLLOW_LINKS);
        String target = target(path, attributes);
        if (target == null && attributes.isSymbolicLink()) {
            attributes = attributes(path);
        }
        // on Windows, deduplicated files and cloud files are "other", too
        if (target == null && attributes.isOther() && attributes instanceof PosixFileAttributes) {
            throw new FileSystemException(path.toString(), null, "it is neither a file nor a folder");
        }
        boolean isSmall = target == null && attributes.isRegularFile() && attributes.size() <= MAX_PRELOADED_BYTES;
        return new ScannedFile(path, attributes, target, isSmall ? small(path) : null, System.nanoTime() - start);
    }

    /** Returns the content; null if the file has grown too large. */
    @CheckForNull
    private static byte[] small(Path path) throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] content = new byte[(int) Math.min(size(in), MAX_PRELOADED_BYTES + 1)];
            int length = read(in, path, content, content.length);
            if (length < content.length) {
                throw shrank(path, content.length, length);
            }
            return length > MAX_PRELOADED_BYTES ? null : content;
        }
    }

    /** Returns the size of the open file in bytes. The path may name another file by now. */
    static long size(InputStream in) throws IOException {
        long size = in.available();
        if (size == Integer.MAX_VALUE) { // available() is capped: seek to the end, and back
            size = in.skip(Long.MAX_VALUE);
            in.skip(Long.MIN_VALUE);
        }
        return size;
    }

    static IOException shrank(Path path, long size, long now) {
        return new IOException(
                "Cannot archive " + path + ": it shrank from " + size + " to " + now + " bytes while it was read");
    }

    /**
     * Reads {@code length} bytes, or fewer at the end of the file.
     *
     * @throws IOException that names the file
     */
    static int read(InputStream in, Path path, byte[] target, int length) throws IOException {
        try {
            return in.readNBytes(target, 0, length);
        } catch (IOException e) {
            throw new IOException("Cannot archive " + path + ": " + (e.getMessage() != null ? e.getMessage() : e), e);
        }
    }

    /** Reads the attributes, including permissions if the file system has them. */
    static BasicFileAttributes attributes(Path path, LinkOption... options) throws IOException {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? Files.readAttributes(path, PosixFileAttributes.class, options)
                : Files.readAttributes(path, BasicFileAttributes.class, options);
    }

    /** Returns the target of a link; null for other files, and for an unreadable link, which is sent as the file that it points to (JENKINS-13202). */
    private static String target(Path path, BasicFileAttributes attributes) {
        if (!attributes.isSymbolicLink()) {
            return null;
        }
        try {
            return Files.readSymbolicLink(path).toString();
        } catch (IOException | UnsupportedOperationException e) {
            return null;
        }
    }
}
