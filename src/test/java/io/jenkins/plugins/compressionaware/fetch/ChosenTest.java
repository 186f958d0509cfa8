package io.jenkins.plugins.compressionaware.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testkit.OpenFiles;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class ChosenTest {
    @TempDir
    Path tmp;

    @Test
    @EnabledOnOs(OS.LINUX)
    void aDeepArchiveTakesFewDescriptors() throws Exception {
        Path file = OpenFiles.deepFile(tmp, new byte[1]);
        assertEquals(
                Set.of(tmp.relativize(file).toString()),
                Chosen.everything(tmp, true).members().keySet());
        int most = OpenFiles.most(() -> Chosen.everything(tmp, true));
        assertTrue(most < 100, most + " open at a time");
    }
}
