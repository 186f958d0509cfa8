package io.jenkins.plugins.compressionaware.demo;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.commons.io.file.PathUtils;

/** A temporary folder, deleted by {@link #close} or at the end of the JVM. */
public final class TempFolder implements Closeable {
    private final Path path;
    private final Thread hook = new Thread(
            () -> {
                delete();
                // after Ctrl-C, other threads still write for a moment
                pause();
                delete();
            },
            "delete temporary files");

    public TempFolder() throws IOException {
        this(Path.of(System.getProperty("java.io.tmpdir")));
    }

    TempFolder(Path parent) throws IOException {
        path = Files.createTempDirectory(parent, "compression-aware-demo-").toRealPath();
        Runtime.getRuntime().addShutdownHook(hook);
    }

    public Path path() {
        return path;
    }

    private void delete() {
        for (int attempt = 0; attempt < 50 && exists(); attempt++) {
            try {
                PathUtils.deleteDirectory(path);
            } catch (IOException e) {
                pause();
            }
        }
        if (exists()) {
            System.err.println("Cannot delete " + path);
        }
    }

    private boolean exists() {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    private static void pause() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }

    @Override
    public void close() {
        delete();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the JVM is ending, and the hook has nothing left to delete
        }
    }
}
