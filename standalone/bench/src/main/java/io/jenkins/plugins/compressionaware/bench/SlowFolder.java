package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.TempFolder;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

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
        builder.environment().put("SLOWFS_MS", Double.toString(disk.millis()));
        if (disk.oneAtATime()) {
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
    static Optional<String> missing() throws InterruptedException {
        for (List<String> command :
                List.of(List.of("cc", "--version"), List.of("pkg-config", "fuse3"), List.of("fusermount3", "--version"))) {
            try {
                if (run(command).waitFor() != 0) {
                    return Optional.of("'" + String.join(" ", command) + "' fails");
                }
            } catch (IOException e) {
                return Optional.of("there is no " + command.get(0));
            }
        }
        return Files.isWritable(Path.of("/dev/fuse")) ? Optional.empty() : Optional.of("/dev/fuse cannot be used");
    }

    /** Makes the program. */
    static Path build(TempFolder folder) throws IOException, InterruptedException {
        Path source = folder.path().resolve("slowfs.c");
        try (InputStream in = SlowFolder.class.getResourceAsStream("slowfs.c")) {
            Files.copy(in, source);
        }
        Path program = folder.path().resolve("slowfs");
        List<String> command = new ArrayList<>(List.of("cc", "-O2", "-o", program.toString(), source.toString()));
        Process flags = new ProcessBuilder("pkg-config", "--cflags", "--libs", "fuse3").start();
        command.addAll(List.of(flags.inputReader().readLine().strip().split("\\s+")));
        if (run(command).waitFor() != 0) {
            throw new IOException("slowfs.c cannot be compiled");
        }
        return program;
    }

    private static Process run(List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** A server that does not answer until {@link #answer}. */
    void hang() throws IOException, InterruptedException {
        run(List.of("kill", "-STOP", Long.toString(process.pid()))).waitFor();
    }

    void answer() throws IOException, InterruptedException {
        run(List.of("kill", "-CONT", Long.toString(process.pid()))).waitFor();
    }

    /** Shows nothing any more. */
    Map<String, Long> end() throws IOException, InterruptedException {
        run(List.of("fusermount3", "-u", shown.toString())).waitFor();
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
    public void close() throws IOException {
        if (process.isAlive()) {
            run(List.of("fusermount3", "-u", "-z", shown.toString()));
            process.destroy();
        }
    }
}
