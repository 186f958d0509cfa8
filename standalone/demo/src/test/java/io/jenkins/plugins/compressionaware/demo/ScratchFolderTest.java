package io.jenkins.plugins.compressionaware.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScratchFolderTest {
    private static final Path DEFAULT_FOLDER = Path.of(System.getProperty("java.io.tmpdir"));
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long ENOUGH_MEMORY = Long.MAX_VALUE;

    @TempDir
    Path folder;

    @Test
    void filesThatFitAreInMemory() throws IOException {
        assumeTrue(Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).type().equals("tmpfs"));
        assertEquals(MEMORY, ScratchFolder.parent(null, MEMORY, ENOUGH_MEMORY, 1));
        assertEquals(DEFAULT_FOLDER, ScratchFolder.parent(null, MEMORY, ENOUGH_MEMORY, ENOUGH_MEMORY / 4), "not enough space on that file system");
        assertEquals(DEFAULT_FOLDER, ScratchFolder.parent(null, MEMORY, 1_000, 900), "not enough memory for the processes");
    }

    @Test
    void tmpdirOfUserIsUsed() throws IOException {
        assertEquals(DEFAULT_FOLDER, ScratchFolder.parent(DEFAULT_FOLDER.toString(), MEMORY, ENOUGH_MEMORY, 1));
    }

    @Test
    void diskIsUsedWithoutFileSystemInMemory() throws IOException {
        assertEquals(DEFAULT_FOLDER, ScratchFolder.parent(null, folder.resolve("missing"), ENOUGH_MEMORY, 1));
    }

    @Test
    void missingSpaceIsReportedInAdvance() {
        IOException failure = assertThrows(IOException.class, () -> new ScratchFolder(1L << 60, 1L << 60));
        assertTrue(failure.getMessage().contains(" MB free; "), failure::getMessage);
    }
}
