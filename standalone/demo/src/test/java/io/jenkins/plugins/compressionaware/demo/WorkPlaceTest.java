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

class WorkPlaceTest {
    private static final Path USUAL = Path.of(System.getProperty("java.io.tmpdir"));
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long PLENTY = Long.MAX_VALUE;

    @TempDir
    Path folder;

    @Test
    void whatFitsGoesIntoMemory() throws IOException {
        assumeTrue(Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).type().equals("tmpfs"));
        assertEquals(MEMORY, ScratchFolder.parent(null, MEMORY, PLENTY, 1));
        assertEquals(USUAL, ScratchFolder.parent(null, MEMORY, PLENTY, PLENTY / 4), "no room on that file system");
        assertEquals(USUAL, ScratchFolder.parent(null, MEMORY, 1_000, 900), "too little memory for the processes");
    }

    @Test
    void theUserIsObeyed() throws IOException {
        assertEquals(USUAL, ScratchFolder.parent(USUAL.toString(), MEMORY, PLENTY, 1));
    }

    @Test
    void whereThereIsNoFileSystemInMemoryADiskDoes() throws IOException {
        assertEquals(USUAL, ScratchFolder.parent(null, folder.resolve("missing"), PLENTY, 1));
    }

    @Test
    void tooLittleRoomIsToldInAdvance() {
        IOException failure = assertThrows(IOException.class, () -> new ScratchFolder(1L << 60, 1L << 60));
        assertTrue(failure.getMessage().contains(" MB free; "), failure::getMessage);
    }
}
