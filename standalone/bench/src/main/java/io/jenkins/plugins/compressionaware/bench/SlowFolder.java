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

/** A folder through FUSE whose operations each take a time, as they do on a network disk: see slowfs.c. */
final class SlowFolder implements Closeable {
    private static final int LOOK = 10;
    private static final int PATIENCE = 10_000;

    private final Path shown;
    private final Process process;
    private final Path counts;

    /**
     * Shows a folder as another one.
     *
     * @param program made by {@link #build}
     * @param folder  with the files
     * @param shown   empty
     * @param disk    how slow it is
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
        for (int waited = 0; Files.getAttribute(shown, "unix:dev").equals(before); waited += LOOK) {
            if (!process.isAlive() || waited > PATIENCE) {
                throw new IOException("The slow folder cannot be mounted at " + shown);
            }
            Thread.sleep(LOOK);
        }
    }

    /** Empty if there can be such folders here, else what is missing. */
    static Optional<String> missing() {
        for (String command : List.of("cc --version", "pkg-config fuse3", "fusermount3 --version")) {
            if (!Command.works(command.split(" "))) {
                return Optional.of("'" + command + "' does not work");
            }
        }
        return Files.isWritable(Path.of("/dev/fuse")) ? Optional.empty() : Optional.of("/dev/fuse cannot be used");
    }

    /** Makes the program. */
    static Path build(TempFolder folder) throws IOException {
        Path source = folder.path().resolve("slowfs.c");
        FileUtils.copyURLToFile(SlowFolder.class.getResource("slowfs.c"), source.toFile());
        Path program = folder.path().resolve("slowfs");
        String command = "cc -O2 -o '%s' '%s' $(pkg-config --cflags --libs fuse3)".formatted(program, source);
        if (!Command.works("sh", "-c", command)) {
            throw new IOException("slowfs.c cannot be compiled");
        }
        return program;
    }

    /** A server that does not answer until {@link #answer}. */
    void hang() {
        Command.works("kill", "-STOP", Long.toString(process.pid()));
    }

    void answer() {
        Command.works("kill", "-CONT", Long.toString(process.pid()));
    }

    /** Shows nothing any more. */
    Map<String, Long> end() throws IOException, InterruptedException {
        Command.works("fusermount3", "-u", shown.toString());
        if (!process.waitFor(PATIENCE, TimeUnit.MILLISECONDS)) {
            throw new IOException(shown + " is still in use");
        }
        Map<String, Long> operations = new TreeMap<>();
        for (String line : Files.readAllLines(counts)) {
            String[] words = line.split(" ");
            operations.put(words[0], Long.parseLong(words[1]));
        }
        return operations;
    }

    /** Whatever still uses it. */
    @Override
    public void close() {
        if (process.isAlive()) {
            Command.works("fusermount3", "-u", "-z", shown.toString());
            process.destroy();
        }
    }
}
