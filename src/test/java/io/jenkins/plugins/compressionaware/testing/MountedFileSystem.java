package io.jenkins.plugins.compressionaware.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder on another file system, until it is closed. Only root can mount it; without root, the test is skipped. */
public record MountedFileSystem(Path folder) implements Closeable {
    /**
     * Mounts a disk in memory.
     *
     * @param folder must not exist
     */
    public static MountedFileSystem small(Path folder, int mebibytes) throws IOException {
        return inMemory(folder, "size=" + mebibytes + "m");
    }

    /**
     * Mounts a disk from which no program or native code can be run. It has 2 GiB, because Jenkins takes agents with
     * less than 1 GiB for temporary files offline.
     */
    public static MountedFileSystem noexec(Path folder) throws IOException {
        return inMemory(folder, "size=2g,noexec");
    }

    /** Mounts a disk on which no file can be created. */
    public static MountedFileSystem full(Path folder) throws IOException {
        return inMemory(folder, "nr_inodes=1");
    }

    private static MountedFileSystem inMemory(Path folder, String options) throws IOException {
        Files.createDirectory(folder);
        return mounted(folder, Command.works("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder.toString()));
    }

    /** Makes a folder read-only, as after an error of the disk. Open files can still be written. */
    public static MountedFileSystem readOnly(Path folder) {
        String name = folder.toString();
        return mounted(
                folder,
                Command.works("mount", "--bind", name, name) && Command.works("mount", "-o", "remount,bind,ro", name));
    }

    private static MountedFileSystem mounted(Path folder, boolean done) {
        assumeTrue(done, "Untested: mounting a full or restricted disk needs root");
        return new MountedFileSystem(folder);
    }

    @Override
    public void close() {
        Command.works("umount", "--lazy", folder.toString());
    }
}
