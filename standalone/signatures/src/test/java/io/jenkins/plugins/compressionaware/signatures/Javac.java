package io.jenkins.plugins.compressionaware.signatures;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles sources given as text. */
final class Javac {
    private Javac() {}

    /** Writes the sources below {@code directory/src} and their classes below {@code directory/classes}. */
    static Path compile(Path directory, Map<String, String> sources, Path... classPath) throws IOException {
        String errors = errors(directory, sources, classPath);
        if (!errors.isEmpty()) {
            throw new IllegalStateException(errors);
        }
        return directory.resolve("classes");
    }

    /** What the compiler complains of; empty when it is content. */
    static String errors(Path directory, Map<String, String> sources, Path... classPath) throws IOException {
        List<Path> files = new ArrayList<>();
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Path file = directory.resolve("src").resolve(source.getKey() + ".java");
            Files.createDirectories(file.getParent());
            files.add(Files.writeString(file, source.getValue()));
        }
        String path = Stream.of(classPath).map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        List<String> options = List.of(
                "-proc:none",
                "--release",
                "17",
                "-cp",
                path,
                "-d",
                directory.resolve("classes").toString());
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(
                            messages, manager, null, options, null, manager.getJavaFileObjectsFromPaths(files))
                    .call();
            return compiled ? "" : messages.toString();
        }
    }
}
