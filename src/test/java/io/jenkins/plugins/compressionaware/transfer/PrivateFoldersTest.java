package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The plugin's folders in Jenkins' home contain compressed copies of artifacts that only Jenkins may read. */
@DisabledOnOs(OS.WINDOWS)
class PrivateFoldersTest {
    @TempDir
    private Path home;

    private static String mode(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void newAndExistingFoldersAreReadableOnlyForJenkins() throws Exception {
        Path folder = home.resolve("compression-aware-artifacts/packed");
        StartupCleanup.createPrivate(folder);
        assertEquals("rwx------", mode(folder));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        StartupCleanup.createPrivate(folder);
        assertEquals("rwx------", mode(folder), "created by an earlier version");
    }
}
