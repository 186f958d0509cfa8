package io.jenkins.plugins.compressionaware.demo;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Random;

/** Console logs of a few made-up builds: there is none on every machine. */
final class LogFiles {
    private static final Instant START = Instant.parse("2026-01-05T08:00:00Z");

    private final Listing subjects;

    LogFiles(Listing subjects) {
        this.subjects = subjects;
    }

    /** Writes one file per build, with a line about each subject. */
    void write(Path folder, int builds) throws IOException {
        Files.createDirectories(folder);
        for (int build = 1; build <= builds; build++) {
            try (BufferedWriter out = Files.newBufferedWriter(folder.resolve("build-" + build + ".log"))) {
                write(out, build);
            }
        }
    }

    private void write(BufferedWriter out, int build) throws IOException {
        Random random = new Random(build);
        Instant now = START.plusSeconds(3600L * build);
        for (int i = 0; i < subjects.names().size(); i++) {
            int millis = 1 + random.nextInt(400);
            now = now.plusMillis(millis);
            out.write(now + " [worker-" + random.nextInt(4) + "] INFO  Processed " + subjects.names().get(i) + " ("
                    + subjects.sizes().get(i) + " bytes) in " + millis + " ms\n");
        }
    }
}
