package io.jenkins.plugins.compressionaware.engine.tar;

import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.InterruptedIOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that a disk may not distinguish have one writer at a time. */
class FileClaimsTest {
    @ParameterizedTest
    @ValueSource(strings = {"a/\u00e9.txt", "A/\u00c9.txt", "a/e\u0301.txt", "a/E\u0301.TXT"})
    void pathsThatDifferInCaseOrUnicodeFormAreEqual(String other) throws Exception {
        try (FileSystem disk = Jimfs.newFileSystem(Configuration.unix())) {
            Workspace workspace = new Workspace(Files.createDirectory(disk.getPath("workspace")), false);
            FileClaims first = new FileClaims(workspace);
            first.claimPath(disk.getPath("a/\u00e9.txt"));
            workspace.close(); // so that a claim fails instead of waiting
            FileClaims second = new FileClaims(workspace);
            try {
                assertThrows(InterruptedIOException.class, () -> second.claimPath(disk.getPath(other)));
                second.claimPath(disk.getPath("a/e.txt"));
            } finally {
                second.release();
                first.release();
            }
        }
    }
}
