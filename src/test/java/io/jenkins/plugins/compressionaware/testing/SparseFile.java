package io.jenkins.plugins.compressionaware.testing;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/** A large file that occupies almost no disk. */
public final class SparseFile {
    private SparseFile() {}

    /**
     * Creates a file or changes its length. Creates its parent folders.
     *
     * @param length bytes
     */
    public static Path ofLength(Path path, long length) throws IOException {
        Files.createDirectories(path.getParent());
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(length);
        }
        return path;
    }
}
