package io.jenkins.plugins.compressionaware.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/** Runs a class in a separate JVM. */
public final class Jvm {
    private Jvm() {}

    /** The lines that the class has printed, and the error output. */
    public record Output(List<String> said, String errors) {}

    /**
     * Returns the home of a JDK of at least this release: the test's own, or one installed beside it. Skips the test without such a JDK.
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

    /** Returns 0 if the folder has no JDK. */
    private static int releaseOf(Path home) {
        Properties properties = new Properties();
        try (InputStream in = Files.newInputStream(home.resolve("release"))) {
            properties.load(in);
            return Runtime.Version.parse(properties.getProperty("JAVA_VERSION").replace("\"", ""))
                    .feature();
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }

    /** Returns the lines that the class has printed. Fails unless the exit code is 0. */
    public static List<String> run(List<String> options, String classPath, Class<?> main, String... arguments)
            throws Exception {
        return run(Path.of(System.getProperty("java.home")), options, classPath, main, arguments)
                .said();
    }

    /** Runs a class with the class path of this JVM. Fails unless the exit code is 0. */
    public static List<String> run(List<String> options, Class<?> main, String... arguments) throws Exception {
        return run(options, System.getProperty("java.class.path"), main, arguments);
    }

    /** Prepares a JVM with the class path of this JVM. */
    public static ProcessBuilder builder(Class<?> main, String... arguments) {
        Path home = Path.of(System.getProperty("java.home"));
        return builder(home, List.of(), System.getProperty("java.class.path"), main, arguments);
    }

    private static ProcessBuilder builder(
            Path home, List<String> options, String classPath, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(home.resolve("bin").resolve("java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }

    /** Runs a class with another JDK. Fails unless the exit code is 0. */
    public static Output run(Path home, List<String> options, String classPath, Class<?> main, String... arguments)
            throws Exception {
        Path output = Files.createTempFile("output", "");
        Path errors = Files.createTempFile("errors", "");
        try {
            int exit = builder(home, options, classPath, main, arguments)
                    .redirectOutput(output.toFile())
                    .redirectError(errors.toFile())
                    .start()
                    .waitFor();
            assertEquals(0, exit, Files.readString(errors));
            return new Output(Files.readAllLines(output), Files.readString(errors));
        } finally {
            Files.delete(output);
            Files.delete(errors);
        }
    }

    /** Returns the output of a class that runs in the C locale, whose file names are ASCII. */
    public static String runInCLocale(Class<?> main, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output.trim();
    }
}
