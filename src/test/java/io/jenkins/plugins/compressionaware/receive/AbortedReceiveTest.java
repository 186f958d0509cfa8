package io.jenkins.plugins.compressionaware.receive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import io.jenkins.plugins.compressionaware.testkit.Capture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AbortedReceiveTest {
    @TempDir
    private Path tmp;

    /** A fast sender and a slow disk: the receiver never waits for a frame, and no write to the disk heeds an interrupt. */
    @Test
    void interruptIsHeededWhereNothingIsWaitedFor() throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Files.write(workspace.resolve("file"), new byte[1 << 20]);
        Map<String, String> files = Map.of("file", "file");
        byte[] stream = Capture.stream(workspace, files, new SendOptions(Codec.NONE, 0));
        Path archive = tmp.resolve("archive");

        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> Capture.deliver(stream, archive, files.keySet(), 1 << 20));
        assertFalse(Thread.interrupted(), "the exception has told it");
        assertEquals(1, tmp.toFile().list().length, "only the workspace is left");
    }
}
