package io.jenkins.plugins.compressionaware.testing;

import java.io.IOException;

/** Runs a program of the system, which may not be installed. */
public final class Command {
    private Command() {}

    /** @return whether the program exists and exits with 0 */
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
