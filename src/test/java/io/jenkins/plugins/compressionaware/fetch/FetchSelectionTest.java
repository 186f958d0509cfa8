package io.jenkins.plugins.compressionaware.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.OpenFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
        Process named = new ProcessBuilder("sh", "-c", "touch \"$(printf '\\303\\244')\"")
                .directory(tmp.toFile())
                .start();
        assertEquals(0, named.waitFor());
        ProcessBuilder controller = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                InTheCLocale.class.getName(),
                tmp.toString());
        controller.environment().put("LC_ALL", "C");
        Process process = controller.redirectErrorStream(true).start();
        assertEquals("null", new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim());
    }

    /** Runs in a JVM whose file names are ASCII. */
    static final class InTheCLocale {
        private InTheCLocale() {}

        public static void main(String[] args) throws IOException {
            System.out.println(FetchSelection.allFiles(Path.of(args[0]), false));
        }
    }
}
