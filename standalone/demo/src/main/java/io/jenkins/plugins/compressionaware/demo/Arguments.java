package io.jenkins.plugins.compressionaware.demo;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The command line.
 *
 * @param folder     folder to archive; empty for a sample workspace
 * @param project    this project's folder, for the sample workspace
 * @param repository local Maven repository, for the sample workspace
 */
record Arguments(Optional<Path> folder, Optional<Path> project, Optional<Path> repository) {
    private static final String PROJECT = "--project=";
    private static final String REPOSITORY = "--maven-repository=";
    static final String USAGE = "Usage: Demo [" + PROJECT + "DIR] [" + REPOSITORY + "DIR] [DIR]";

    /**
     * @throws IllegalArgumentException with a message for the user
     */
    static Arguments parse(String... args) {
        Path folder = null;
        Path project = null;
        Path repository = null;
        for (String arg : args) {
            if (arg.startsWith(PROJECT)) {
                project = path(arg.substring(PROJECT.length()));
            } else if (arg.startsWith(REPOSITORY)) {
                repository = path(arg.substring(REPOSITORY.length()));
            } else if (arg.startsWith("-")) {
                throw new IllegalArgumentException("Unknown option " + arg);
            } else if (folder != null) {
                throw new IllegalArgumentException("Only one folder can be archived, not " + folder + " and " + arg);
            } else {
                folder = readableFolder(path(arg));
            }
        }
        return new Arguments(Optional.ofNullable(folder), Optional.ofNullable(project), Optional.ofNullable(repository));
    }

    private static Path path(String arg) {
        try {
            return Path.of(arg).toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("Not a path: " + arg, e);
        }
    }

    private static Path readableFolder(Path path) {
        if (!Files.exists(path)) {
            throw new IllegalArgumentException("There is no " + path);
        }
        if (!Files.isDirectory(path)) {
            throw new IllegalArgumentException(path + " is not a folder");
        }
        if (!Files.isReadable(path) || !Files.isExecutable(path)) {
            throw new IllegalArgumentException(path + " cannot be read");
        }
        return path;
    }
}
