package io.jenkins.plugins.compressionaware.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/** An ext4 file system in a file, whose writes the test can suspend. Only root can mount it. */
public final class FreezingDisk implements Closeable {
    private static final int SIZE = 1 << 29;

    private final Path folder;
    private final Path image;

    private FreezingDisk(Path folder, Path image) {
        this.folder = folder;
        this.image = image;
    }

    /**
     * Mounts a file system, or skips the test if that is impossible.
     *
     * @param folder must not exist
     */
    public static FreezingDisk mount(Path folder) throws IOException {
        Files.createDirectory(folder);
        Path image = folder.resolveSibling(folder.getFileName() + ".ext4");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(SIZE);
        }
        assumeTrue(
                Command.works("mkfs.ext4", "-q", image.toString())
                        && Command.works("mount", "-o", "loop", image.toString(), folder.toString()),
                "Untested: mounting a freezing disk needs root");
        Files.delete(folder.resolve("lost+found"));
        return new FreezingDisk(folder, image);
    }

    /** Blocks all writes until {@link #thaw}. Signals do not end the wait. */
    public void freeze() {
        if (!Command.works("fsfreeze", "--freeze", folder.toString())) {
            throw new IllegalStateException(folder + " cannot be frozen");
        }
    }

    public void thaw() {
        Command.works("fsfreeze", "--unfreeze", folder.toString());
    }

    @Override
    public void close() throws IOException {
        thaw();
        Command.works("umount", "--lazy", folder.toString());
        Files.delete(image);
    }
}
