package io.jenkins.plugins.compressionaware.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The time of day that other processes see: see clock.c. */
public final class JumpingClock extends LdPreload {
    /** @param folder for its files */
    public JumpingClock(Path folder) throws IOException {
        super(folder, "clock");
        jump(0);
    }

    /** The file that has the seconds of {@link #jump}. */
    public Path seconds() {
        return control;
    }

    /** @param ahead seconds from the true time on */
    public void jump(long ahead) throws IOException {
        Files.writeString(control, Long.toString(ahead));
    }

    /** It is right again. */
    @Override
    public void close() throws IOException {
        jump(0);
    }
}
