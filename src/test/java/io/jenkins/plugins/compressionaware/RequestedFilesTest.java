package io.jenkins.plugins.compressionaware;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.OpenFiles;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The check of what core's transfer has extracted for an agent that is not trusted. */
class RequestedFilesTest {
    /** Other builds need descriptors, too. */
    @Test
    void deepTreeNeedsFewDescriptors(@TempDir Path folder) throws Exception {
        String name = folder.relativize(OpenFiles.deepFile(folder, new byte[0])).toString();
        int most = OpenFiles.most(() -> {
            CompressionAwareArtifactManager.rejectUnrequestedFiles(folder, Set.of(name));
            return null;
        });
        assertTrue(most < 100, most + " open at a time");
        assertFails(
                "Refused " + name + ": it was not requested",
                () -> CompressionAwareArtifactManager.rejectUnrequestedFiles(folder, Set.of("other")));
    }
}
