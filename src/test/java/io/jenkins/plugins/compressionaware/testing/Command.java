package io.jenkins.plugins.compressionaware.testing;

import java.io.IOException;

/** A program of the system, which may be missing. */
public final class Command {
    private Command() {}

    /** @return whether it has ended well */
    public static boolean works(String... command) {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
