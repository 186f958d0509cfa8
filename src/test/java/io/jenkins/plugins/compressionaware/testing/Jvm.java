package io.jenkins.plugins.compressionaware.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/** Runs a class in a JVM of its own. */
public final class Jvm {
    private Jvm() {}

    /** What a class has printed, line by line, and what the JVM has said to it. */
    public record Output(List<String> said, String errors) {}

    /**
     * The home of a JDK that is at least this new: the one that runs the test, or one installed beside it. Skips the test if there is none.
     *
     * @param release such as 24
     */
    public static Path atLeast(int release) throws IOException {
        Path home = Path.of(System.getProperty("java.home"));
        if (Runtime.version().feature() >= release) {
            return home;
        }
        try (Stream<Path> others = Files.list(home.toRealPath().getParent())) {
            Optional<Path> found =
                    others.filter(other -> releaseOf(other) >= release).findFirst();
            assumeTrue(found.isPresent(), "Not tested: there is no JDK " + release + " or newer beside " + home);
            return found.get();
        }
    }

    /** 0 if it is none. */
    private static int releaseOf(Path home) {
        Properties facts = new Properties();
        try (InputStream in = Files.newInputStream(home.resolve("release"))) {
            facts.load(in);
            return Runtime.Version.parse(facts.getProperty("JAVA_VERSION").replace("\"", ""))
                    .feature();
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }

    /** What the class has printed, line by line; fails the test if it ends with another exit code than 0. */
    public static List<String> run(List<String> options, String classPath, Class<?> main, String... arguments)
            throws Exception {
        return run(Path.of(System.getProperty("java.home")), options, classPath, main, arguments)
                .said();
    }

    /** The same with another JDK. */
    public static Output run(Path home, List<String> options, String classPath, Class<?> main, String... arguments)
            throws Exception {
        List<String> command = new ArrayList<>();
        command.add(home.resolve("bin").resolve("java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main.getName()));
        command.addAll(List.of(arguments));
        Path said = Files.createTempFile("said", "");
        Path errors = Files.createTempFile("errors", "");
        try {
            int exit = new ProcessBuilder(command)
                    .redirectOutput(said.toFile())
                    .redirectError(errors.toFile())
                    .start()
                    .waitFor();
            assertEquals(0, exit, Files.readString(errors));
            return new Output(Files.readAllLines(said), Files.readString(errors));
        } finally {
            Files.delete(said);
            Files.delete(errors);
        }
    }
}
