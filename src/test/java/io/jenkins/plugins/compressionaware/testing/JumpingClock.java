package io.jenkins.plugins.compressionaware.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Controls the time of day of other processes; see clock.c. */
public final class JumpingClock extends LdPreload {
    /** @param folder for the files of this class */
    public JumpingClock(Path folder) throws IOException {
        super(folder, "clock");
        jump(0);
    }

    /** Returns the file that contains the seconds of {@link #jump}. */
    public Path seconds() {
        return control;
    }

    /** @param ahead seconds between the true time and the shown time */
    public void jump(long ahead) throws IOException {
        Files.writeString(control, Long.toString(ahead));
    }

    /** Restores the true time. */
    @Override
    public void close() throws IOException {
        jump(0);
    }
}
