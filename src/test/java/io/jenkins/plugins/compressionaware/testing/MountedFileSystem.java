package io.jenkins.plugins.compressionaware.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder that is another file system until it is closed. Only root can mount it; tests of others end as ones that cannot run here. */
public record MountedFileSystem(Path folder) implements Closeable {
    /**
     * A disk in memory.
     *
     * @param folder does not exist
     */
    public static MountedFileSystem small(Path folder, int mebibytes) throws IOException {
        return inMemory(folder, "size=" + mebibytes + "m");
    }

    /** One of which no program and no native code may be run. It may grow to 2 GiB, since Jenkins takes agents offline that have less than one for temporary files. */
    public static MountedFileSystem noexec(Path folder) throws IOException {
        return inMemory(folder, "size=2g,noexec");
    }

    /** One on which no file can be created. */
    public static MountedFileSystem full(Path folder) throws IOException {
        return inMemory(folder, "nr_inodes=1");
    }

    private static MountedFileSystem inMemory(Path folder, String options) throws IOException {
        Files.createDirectory(folder);
        return mounted(folder, Command.works("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder.toString()));
    }

    /** The folder as it is, but read-only, as a disk becomes that has errors. What is open already can still be written. */
    public static MountedFileSystem readOnly(Path folder) {
        String name = folder.toString();
        return mounted(
                folder,
                Command.works("mount", "--bind", name, name) && Command.works("mount", "-o", "remount,bind,ro", name));
    }

    private static MountedFileSystem mounted(Path folder, boolean done) {
        assumeTrue(
                done, "Untested: disks that are full or refuse something, since none can be mounted here (needs root)");
        return new MountedFileSystem(folder);
    }

    @Override
    public void close() {
        Command.works("umount", "--lazy", folder.toString());
    }
}
