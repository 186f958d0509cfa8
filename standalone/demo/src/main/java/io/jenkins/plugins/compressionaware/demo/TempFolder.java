package io.jenkins.plugins.compressionaware.demo;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.apache.commons.io.file.PathUtils;

/** A folder that is gone when this is closed, or when the JVM ends before that. */
public final class TempFolder implements Closeable {
    private final Path path;
    private final Thread hook = new Thread(this::deleteAtTheEnd, "delete temporary files");

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

    public static void delete(Path folder) throws IOException {
        PathUtils.deleteDirectory(folder);
    }

    /** After Ctrl-C the other threads still write for a moment. */
    private void deleteAtTheEnd() {
        deleteStubbornly();
        pause();
        deleteStubbornly();
    }

    private void deleteStubbornly() {
        for (int attempt = 0; attempt < 50 && Files.exists(path, LinkOption.NOFOLLOW_LINKS); attempt++) {
            try {
                delete(path);
            } catch (IOException e) {
                pause();
            }
        }
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            System.err.println("Cannot delete " + path);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        deleteStubbornly();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the JVM is ending, the hook runs and finds nothing to do
        }
    }
}
