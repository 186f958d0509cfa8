package io.jenkins.plugins.compressionaware.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.Arrays;

/**
 * A file as it was when it was looked at.
 *
 * @param attributes attributes to send
 * @param target     target of a link that is sent as one; otherwise null
 * @param content    content of a small file, shorter than its size if it shrank; null if it was not read
 * @param nanos      time that all this took
 */
record FoundFile(
        Path path,
        BasicFileAttributes attributes,
        @CheckForNull String target,
        @CheckForNull byte[] content,
        long nanos) {
    /** Bytes of the largest file that is read whole. */
    static final int SMALL = 128 * 1024;

    static FoundFile at(Path path) throws IOException {
        long start = System.nanoTime();
        BasicFileAttributes attributes = attributes(path, LinkOption.NOFOLLOW_LINKS);
        String target = target(path, attributes);
        if (target == null && attributes.isSymbolicLink()) {
            attributes = attributes(path);
        }
        byte[] content = null;
        if (target == null && attributes.isRegularFile() && attributes.size() <= SMALL) {
            // not a FileChannel: Thread.interrupt() would close it, and wait for the disk while its caller may hold a
            // lock
            try (InputStream in = Files.newInputStream(path)) {
                byte[] read = new byte[(int) attributes.size()];
                content = Arrays.copyOf(read, read(in, path, read, read.length));
            }
        }
        return new FoundFile(path, attributes, target, content, System.nanoTime() - start);
    }

    /**
     * Reads up to {@code length} bytes, fewer only at the file's end.
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

    /** Reads the attributes, with permissions where there are any. */
    static BasicFileAttributes attributes(Path path, LinkOption... options) throws IOException {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? Files.readAttributes(path, PosixFileAttributes.class, options)
                : Files.readAttributes(path, BasicFileAttributes.class, options);
    }

    /** Null if this is not a link, or one that cannot be read: it is sent as the file that it points to (JENKINS-13202). */
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
