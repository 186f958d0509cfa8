package io.jenkins.plugins.compressionaware.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file system in memory, which only root can mount. */
public record SmallDisk(Path folder) implements Closeable {
    /**
     * Mounts one, or ends the test as one that cannot run here.
     *
     * @param folder does not exist
     */
    public static SmallDisk mount(Path folder, int mebibytes) throws IOException {
        return mount(folder, "size=" + mebibytes + "m");
    }

    /** One of which no program and no native code may be run. It may grow to 2 GiB, since Jenkins takes agents offline that have less than one for temporary files. */
    public static SmallDisk mountNoexec(Path folder) throws IOException {
        return mount(folder, "size=2g,noexec");
    }

    private static SmallDisk mount(Path folder, String options) throws IOException {
        Files.createDirectory(folder);
        assumeTrue(
                Command.works("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder.toString()),
                "Untested: a full disk, since no small file system can be mounted here (needs root)");
        return new SmallDisk(folder);
    }

    @Override
    public void close() {
        Command.works("umount", "--lazy", folder.toString());
    }
}
