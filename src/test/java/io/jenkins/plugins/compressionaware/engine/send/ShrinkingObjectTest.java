package io.jenkins.plugins.compressionaware.engine.send;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that becomes an object of its own, but shrinks. */
class ShrinkingObjectTest {
    /** The text is searched for to find the row of troubleshooting.md. */
    @Test
    void failureHasBothLengths(@TempDir Path folder) throws Exception {
        byte[] noise = FileTrees.noise(1 << 20);
        Path file = Files.write(folder.resolve("large"), noise);
        OwnObjects objects = new OwnObjects(
                parts -> {
                    throw new IOException("not reached");
                },
                PartChecksum.CRC32C,
                new TransferThreads(new ThreadCpuTimes()),
                1);
        IOException failure = assertThrows(
                IOException.class,
                () -> objects.store("large", file, new ByteArrayInputStream(Arrays.copyOf(noise, 1000)), noise.length));
        assertEquals(
                "Cannot archive " + file + ": it shrank from 1048576 to 1000 bytes while it was read",
                failure.getMessage());
    }
}
