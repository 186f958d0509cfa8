package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.TempFolder;
import io.jenkins.plugins.compressionaware.testing.Command;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.commons.io.FileUtils;

/** A folder mounted through FUSE, with a delay per operation as on a network disk; see slowfs.c. */
final class SlowFolder implements Closeable {
    private static final int POLL_MILLIS = 10;
    private static final int TIMEOUT_MILLIS = 10_000;

    private final Path shown;
    private final Process process;
    private final Path counts;

    /**
     * Mounts a folder.
     *
     * @param program built by {@link #build}
     * @param folder  with the files
     * @param shown   mount point, an empty folder
     * @param disk    delay of the disk
     */
    SlowFolder(Path program, Path folder, Path shown, SlowDisk disk) throws IOException, InterruptedException {
        this.shown = shown;
        counts = Files.createTempFile(program.getParent(), "counts-", ".txt");
        ProcessBuilder builder = new ProcessBuilder(program.toString(), "-f", shown.toString());
        builder.environment().put("SLOWFS_ROOT", folder.toString());
        builder.environment().put("SLOWFS_MS", Integer.toString(disk.millis));
        if (disk.oneAtATime) {
            builder.environment().put("SLOWFS_DISK", "1");
        }
        Object before = Files.getAttribute(shown, "unix:dev");
        process = builder.redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(counts.toFile())
                .start();
        for (int waited = 0; Files.getAttribute(shown, "unix:dev").equals(before); waited += POLL_MILLIS) {
            if (!process.isAlive() || waited > TIMEOUT_MILLIS) {
                throw new IOException("Cannot mount the slow folder at " + shown);
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** Returns the missing requirement, or empty if such folders can be mounted here. */
    static Optional<String> missing() {
        for (String command : List.of("cc --version", "pkg-config fuse3", "fusermount3 --version")) {
            if (!Command.works(command.split(" "))) {
                return Optional.of("'" + command + "' fails");
            }
        }
        return Files.isWritable(Path.of("/dev/fuse")) ? Optional.empty() : Optional.of("/dev/fuse is not writable");
    }

    /** Compiles the program. */
    static Path build(TempFolder folder) throws IOException {
        Path source = folder.path().resolve("slowfs.c");
        FileUtils.copyURLToFile(SlowFolder.class.getResource("slowfs.c"), source.toFile());
        Path program = folder.path().resolve("slowfs");
        String command = "cc -O2 -o '%s' '%s' $(pkg-config --cflags --libs fuse3)".formatted(program, source);
        if (!Command.works("sh", "-c", command)) {
            throw new IOException("Cannot compile slowfs.c");
        }
        return program;
    }

    /** Stops answering until {@link #answer}. */
    void hang() {
        Command.works("kill", "-STOP", Long.toString(process.pid()));
    }

    void answer() {
        Command.works("kill", "-CONT", Long.toString(process.pid()));
    }

    /** Unmounts the folder, and returns the number of calls of each operation. */
    Map<String, Long> end() throws IOException, InterruptedException {
        Command.works("fusermount3", "-u", shown.toString());
        if (!process.waitFor(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
            throw new IOException(shown + " is still in use");
        }
        Map<String, Long> operations = new TreeMap<>();
        for (String line : Files.readAllLines(counts)) {
            String[] words = line.split(" ");
            operations.put(words[0], Long.parseLong(words[1]));
        }
        return operations;
    }

    /** Unmounts the folder even if it is in use. */
    @Override
    public void close() {
        if (process.isAlive()) {
            Command.works("fusermount3", "-u", "-z", shown.toString());
            process.destroy();
        }
    }
}
