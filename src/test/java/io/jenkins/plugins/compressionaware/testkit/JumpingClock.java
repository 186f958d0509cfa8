package io.jenkins.plugins.compressionaware.testkit;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** The time of day that other processes see: see clock.c. */
public final class JumpingClock implements Closeable {
    private final Path library;
    private final Path seconds;
    private final boolean works;

    /** @param folder for its files */
    public JumpingClock(Path folder) throws IOException {
        Path source = folder.resolve("clock.c");
        library = folder.resolve("clock.so");
        seconds = folder.resolve("seconds");
        try (InputStream in = Objects.requireNonNull(JumpingClock.class.getResourceAsStream("clock.c"))) {
            Files.copy(in, source);
        }
        jump(0);
        works = Command.works("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString());
    }

    /** Whether there is a compiler here. */
    public boolean works() {
        return works;
    }

    /** Of processes that are to see it. */
    public Map<String, String> environment() {
        return works ? Map.of("LD_PRELOAD", library.toString(), "CLOCK_FILE", seconds.toString()) : Map.of();
    }

    /** @param ahead seconds from the true time on */
    public void jump(long ahead) throws IOException {
        Files.writeString(seconds, Long.toString(ahead));
    }

    /** It is right again. */
    @Override
    public void close() throws IOException {
        jump(0);
    }
}
