package io.jenkins.plugins.compressionaware.stash;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Litter. */
final class Partial {
    private Partial() {}

    /** What is below a folder and has the name of something that is not whole. */
    static List<Path> in(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(path -> path.getFileName().toString().matches("\\..*(partial|unstash).*"))
                    .toList();
        }
    }
}
