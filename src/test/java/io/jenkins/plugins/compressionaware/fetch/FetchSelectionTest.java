package io.jenkins.plugins.compressionaware.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.Command;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import io.jenkins.plugins.compressionaware.testing.OpenFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class FetchSelectionTest {
    @TempDir
    Path tmp;

    @Test
    @EnabledOnOs(OS.LINUX)
    void deepArchiveOpensFewFolders() throws Exception {
        Path file = OpenFiles.deepFile(tmp, new byte[1]);
        assertEquals(
                Set.of(tmp.relativize(file).toString()),
                FetchSelection.allFiles(tmp, true).members().keySet());
        int most = OpenFiles.most(() -> FetchSelection.allFiles(tmp, true));
        assertTrue(most < 100, most + " open at a time");
    }

    /** Copy Artifact then reports the invalid name. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void nameThatLocaleCannotDecodeSelectsNoFiles() throws Exception {
        assertTrue(Command.works("sh", "-c", "touch \"" + tmp + "/$(printf '\\303\\244')\""));
        assertEquals("null", Jvm.runInCLocale(InTheCLocale.class, tmp.toString()));
    }

    /** Runs in a JVM whose file names are ASCII. */
    static final class InTheCLocale {
        private InTheCLocale() {}

        public static void main(String[] args) throws IOException {
            System.out.println(FetchSelection.allFiles(Path.of(args[0]), false));
        }
    }
}
