package io.jenkins.plugins.compressionaware.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/**
 * A library in front of the system's, in other processes.
 *
 * @param library built from a source beside this class
 * @param control the file that tells it what to do
 * @param works   whether there is a compiler here
 */
record Preloaded(Path library, Path control, boolean works) {
    /**
     * Builds one.
     *
     * @param folder for its files
     * @param name   of its source, without {@code .c}
     */
    static Preloaded build(Path folder, String name) throws IOException {
        Path source = folder.resolve(name + ".c");
        Path library = folder.resolve(name + ".so");
        try (InputStream in = Objects.requireNonNull(Preloaded.class.getResourceAsStream(name + ".c"))) {
            Files.copy(in, source);
        }
        boolean works = Command.works("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString());
        return new Preloaded(library, folder.resolve(name), works);
    }

    /**
     * Of processes that are to have it.
     *
     * @param variable in which the library looks for {@link #control}
     */
    Map<String, String> environment(String variable) {
        return works ? Map.of("LD_PRELOAD", library.toString(), variable, control.toString()) : Map.of();
    }
}
