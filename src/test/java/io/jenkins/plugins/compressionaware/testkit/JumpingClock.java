package io.jenkins.plugins.compressionaware.testkit;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The time of day that other processes see: see clock.c. */
public final class JumpingClock implements Closeable {
    private final Preloaded library;

    /** @param folder for its files */
    public JumpingClock(Path folder) throws IOException {
        library = Preloaded.build(folder, "clock");
        jump(0);
    }

    /** Whether there is a compiler here. */
    public boolean works() {
        return library.works();
    }

    /** Of processes that are to see it. */
    public Map<String, String> environment() {
        return library.environment("CLOCK_FILE");
    }

    /** The file that has the seconds of {@link #jump}. */
    public Path seconds() {
        return library.control();
    }

    /** @param ahead seconds from the true time on */
    public void jump(long ahead) throws IOException {
        Files.writeString(seconds(), Long.toString(ahead));
    }

    /** It is right again. */
    @Override
    public void close() throws IOException {
        jump(0);
    }
}
