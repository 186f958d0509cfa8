package io.jenkins.plugins.compressionaware.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a class in a JVM of its own. */
public final class Jvm {
    private Jvm() {}

    /** What the class has printed, line by line; fails the test if it ends with another exit code than 0. */
    public static List<String> run(List<String> options, String classPath, Class<?> main, String... arguments)
            throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
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
            return Files.readAllLines(said);
        } finally {
            Files.delete(said);
            Files.delete(errors);
        }
    }
}
