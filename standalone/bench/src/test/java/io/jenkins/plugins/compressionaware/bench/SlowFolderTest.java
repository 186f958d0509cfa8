package io.jenkins.plugins.compressionaware.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.demo.TempFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlowFolderTest {
    @TempDir
    Path files;

    @TempDir
    Path shown;

    @Test
    void operationsArePerformedAndCounted() throws IOException, InterruptedException {
        assumeTrue(SlowFolder.missing().isEmpty(), "Untested: a slow folder needs FUSE");
        try (TempFolder program = new TempFolder();
                SlowFolder slow = new SlowFolder(SlowFolder.build(program), files, shown, SlowDisk.NEAR)) {
            Files.createDirectory(shown.resolve("folder"));
            Files.writeString(shown.resolve("folder/file"), "content");
            Files.move(shown.resolve("folder/file"), shown.resolve("other"));
            Map<String, Long> operations = slow.end();
            assertEquals(1, operations.get("mkdir"));
            assertEquals(1, operations.get("create"));
            assertEquals(1, operations.get("close"));
            assertEquals(1, operations.get("rename"));
            assertFalse(operations.containsKey("unlink"), operations::toString);
        }
        assertEquals("content", Files.readString(files.resolve("other")));
        assertFalse(Files.exists(shown.resolve("other")), "the folder is unmounted");
    }

    @Test
    void closeOfConfiguredFileFails() throws IOException, InterruptedException {
        assumeTrue(SlowFolder.missing().isEmpty(), "Untested: a slow folder needs FUSE");
        try (TempFolder program = new TempFolder()) {
            Path slowfs = SlowFolder.build(program);
            ProcessBuilder builder = new ProcessBuilder(slowfs.toString(), shown.toString());
            builder.environment().putAll(Map.of("SLOWFS_ROOT", files.toString(), "SLOWFS_FAIL_CLOSE", "full"));
            assertEquals(0, builder.start().waitFor());
            try {
                IOException e =
                        assertThrows(IOException.class, () -> Files.writeString(shown.resolve("full"), "content"));
                assertTrue(e.toString().contains("No space left"), e::toString);
            } finally {
                new ProcessBuilder("fusermount3", "-u", shown.toString()).start().waitFor();
            }
        }
    }
}
