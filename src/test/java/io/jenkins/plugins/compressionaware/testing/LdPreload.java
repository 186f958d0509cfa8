package io.jenkins.plugins.compressionaware.testing;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** A library in front of the system's, in other processes; a file tells it what to do. */
abstract class LdPreload implements Closeable {
    final Path control;
    private final Map<String, String> environment;

    /**
     * @param folder for its files
     * @param name   of its source beside this class, without {@code .c}
     */
    LdPreload(Path folder, String name) throws IOException {
        control = folder.resolve(name);
        String source = control + ".c";
        String library = control + ".so";
        try (InputStream in = Objects.requireNonNull(LdPreload.class.getResourceAsStream(name + ".c"))) {
            Files.copy(in, Path.of(source));
        }
        environment = Command.works("cc", "-shared", "-fPIC", "-o", library, source)
                ? Map.of("LD_PRELOAD", library, name.toUpperCase(Locale.ROOT) + "_FILE", control.toString())
                : Map.of();
    }

    /** Whether there is a compiler here. */
    public final boolean works() {
        return !environment.isEmpty();
    }

    /** Of processes that are to have it. */
    public final Map<String, String> environment() {
        return environment;
    }
}
