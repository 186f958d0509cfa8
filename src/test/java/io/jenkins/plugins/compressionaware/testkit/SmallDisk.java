package io.jenkins.plugins.compressionaware.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file system of a few mebibytes in memory, which only root can mount. */
public record SmallDisk(Path folder) implements Closeable {
    /**
     * Mounts one, or ends the test as one that cannot run here.
     *
     * @param folder does not exist
     */
    public static SmallDisk mount(Path folder, int mebibytes) throws IOException {
        Files.createDirectory(folder);
        assumeTrue(
                Command.works("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", folder.toString()),
                "Untested: a full disk, since no small file system can be mounted here (needs root)");
        return new SmallDisk(folder);
    }

    @Override
    public void close() {
        Command.works("umount", "--lazy", folder.toString());
    }
}
