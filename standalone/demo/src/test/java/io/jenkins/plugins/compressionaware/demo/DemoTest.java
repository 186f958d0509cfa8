package io.jenkins.plugins.compressionaware.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts real agent processes. */
class DemoTest {
    @TempDir
    Path workspace;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private int run(Path folder) {
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        return new Demo(out).run(out, "", folder.toString());
    }

    private String printed() {
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void tableShowsAllWays() throws IOException {
        byte[] random = new byte[3_000_000];
        new Random(1).nextBytes(random);
        Files.write(workspace.resolve("packed.bin"), random);
        Files.writeString(Files.createDirectory(workspace.resolve("text")).resolve("a.log"), "line\n".repeat(100_000));
        Files.createDirectory(workspace.resolve("empty"));
        Files.createSymbolicLink(workspace.resolve("link"), Path.of("nowhere"));

        assertEquals(0, run(workspace), this::printed);
        for (Way way : Way.values()) {
            assertTrue(printed().lines().anyMatch(line -> line.startsWith(way.label())), printed());
        }
    }

    @Test
    void failureIsReportedWithReason() throws IOException {
        assertEquals(1, run(workspace));
        assertTrue(printed().contains("No files to archive"), printed());
    }
}
