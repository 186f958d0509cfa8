package io.jenkins.plugins.compressionaware.engine.send;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.run.JvmLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** All transfers that compress on the controller share half of its processors. */
class PackingTurnsTest {
    @TempDir
    private Path tmp;

    @Test
    @Timeout(120)
    void packingWaitsForItsTurn() throws Exception {
        Files.write(tmp.resolve("file"), new byte[1 << 20]);
        SendOptions options = new SendOptions(Codec.GZIP, 1, 1 << 16, 2);
        int permits = JvmLimits.PACKING.drainPermits();
        CompletableFuture<SendReport> packing;
        try {
            packing = CompletableFuture.supplyAsync(() -> {
                try (FrameFileWriter file =
                        new FrameFileWriter(tmp.resolve("whole"), tmp.resolve("partial"), 1 << 16, Long.MAX_VALUE)) {
                    return FrameFileSink.store(tmp, Map.of("file", "file"), options, file);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            while (!JvmLimits.PACKING.hasQueuedThreads()) {
                assertFalse(packing.isDone(), "packed without waiting");
                Thread.onSpinWait();
            }
        } finally {
            JvmLimits.PACKING.release(permits);
        }
        assertEquals(1, packing.get(60, TimeUnit.SECONDS).figures().entries());
        assertEquals(permits, JvmLimits.PACKING.availablePermits());
    }
}
