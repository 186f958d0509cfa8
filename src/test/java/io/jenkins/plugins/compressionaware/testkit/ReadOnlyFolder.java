package io.jenkins.plugins.compressionaware.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.Closeable;
import java.nio.file.Path;

/** A folder that is read-only until this is closed, as a disk becomes that has errors. What is open already can still be written. */
public record ReadOnlyFolder(Path folder) implements Closeable {
    /** Mounts the folder over itself, which only root can do, or ends the test as one that cannot run here. */
    public static ReadOnlyFolder mount(Path folder) {
        String name = folder.toString();
        assumeTrue(
                Command.works("mount", "--bind", name, name) && Command.works("mount", "-o", "remount,bind,ro", name),
                "Untested: a folder on a disk that is read-only, since nothing can be mounted here (needs root)");
        return new ReadOnlyFolder(folder);
    }

    @Override
    public void close() {
        Command.works("umount", "--lazy", folder.toString());
    }
}
