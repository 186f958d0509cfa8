package io.jenkins.plugins.compressionaware.testing;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** A library that replaces system calls of other processes. A file controls it. */
abstract class LdPreload implements Closeable {
    final Path control;
    private final Map<String, String> environment;

    /**
     * @param folder for the files of this class
     * @param name   of the source beside this class, without {@code .c}
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

    /** Returns whether a compiler has built the library. */
    public final boolean works() {
        return !environment.isEmpty();
    }

    /** Returns the environment for processes that load the library. */
    public final Map<String, String> environment() {
        return environment;
    }
}
