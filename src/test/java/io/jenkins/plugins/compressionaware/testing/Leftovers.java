package io.jenkins.plugins.compressionaware.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** What ended transfers must not leave behind. */
public final class Leftovers {
    private Leftovers() {}

    /** Returns the incomplete files and folders below a folder; none if it does not exist. */
    public static List<Path> partials(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(path -> path.getFileName().toString().matches(".*\\.partial|\\..*(partial|unstash).*"))
                    .toList();
        }
    }

    /** Returns threads that execute transfers, with their stacks, without those that create indexes. */
    public static List<String> threads() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> Threads.ofTransfers().contains(thread.getKey())
                        || thread.getKey().getName().startsWith("Computer.threadPoolForRemoting")
                                && Arrays.stream(thread.getValue())
                                        .anyMatch(frame -> frame.getClassName().contains("compressionaware")))
                .filter(thread -> !thread.getKey().getName().contains("index"))
                .map(thread -> thread.getKey().getName() + Arrays.toString(thread.getValue()))
                .toList();
    }
}
