package io.jenkins.plugins.compressionaware.transfer;

import static io.jenkins.plugins.compressionaware.testkit.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import io.jenkins.plugins.compressionaware.testkit.Loopback;
import io.jenkins.plugins.compressionaware.testkit.Mounted;
import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The controller's disk is full: it has four mebibytes. */
@Timeout(60)
class DiskFullTest {
    @TempDir
    Path tmp;

    @Test
    void earlierFilesStayAndTheSpaceIsGivenBack() throws Exception {
        try (Mounted small = Mounted.small(tmp.resolve("disk"), 4)) {
            earlierFilesStayAndTheSpaceIsGivenBack(small.folder());
        }
    }

    private void earlierFilesStayAndTheSpaceIsGivenBack(Path disk) throws Exception {
        Path archive = Files.createDirectory(disk.resolve("archive"));
        Files.writeString(archive.resolve("large"), "earlier");
        Map<String, String> before = Trees.describe(archive);
        long space = Files.getFileStore(disk).getUsableSpace();
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Files.write(workspace.resolve("large"), new byte[6 << 20]);

        assertFails(
                "Cannot write large: No space left on device",
                () -> Loopback.with(new SendOptions(Codec.NONE, 0))
                        .archive(workspace, Trees.names(workspace), archive));
        assertEquals(before, Trees.describe(archive));
        assertEquals(space, Files.getFileStore(disk).getUsableSpace());
        assertEquals(1, Trees.list(disk).size(), "only the archive is left");
    }
}
