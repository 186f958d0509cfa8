package io.jenkins.plugins.compressionaware.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.Loopback;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files change while they are archived, after the first bytes of the large file were written to the lane. */
@Timeout(60)
class ChangingFilesTest {
    /** The pipeline holds a few blocks of 64 KiB, so most of the file is unread at the first write. */
    private static final int SIZE = 4 << 20;

    @TempDir
    Path tmp;

    private Path archive;
    private Path large;
    private Path later;
    private byte[] content;
    private final Map<String, String> files = new LinkedHashMap<>();

    @FunctionalInterface
    private interface Change {
        void run() throws IOException;
    }

    @BeforeEach
    void prepare() throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        content = FileTrees.noise(SIZE);
        large = Files.write(workspace.resolve("large"), content);
        later = Files.writeString(workspace.resolve("later"), "later");
        files.put("large", "large");
        files.put("later", "later");
        archive = Files.createDirectory(tmp.resolve("archive"));
        Files.writeString(archive.resolve("large"), "earlier");
    }

    @ParameterizedTest
    @CsvSource({
        "2097152, it shrank from 4194304 to 2097152 bytes while it was read",
        "0, large: it shrank from 4194304 to "
    })
    void rejectsFileThatShrinks(int size, String reason) throws Exception {
        assertRejected(reason, () -> {
            try (FileChannel file = FileChannel.open(large, StandardOpenOption.WRITE)) {
                file.truncate(size);
            }
        });
    }

    @Test
    void archivesOriginalSizeOfGrowingFile() throws Exception {
        archiveWhile(() -> Files.write(large, new byte[1000], StandardOpenOption.APPEND));
        assertArrayEquals(content, Files.readAllBytes(archive.resolve("large")), "only the original size is archived");
        assertEquals("later", Files.readString(archive.resolve("later")));
    }

    @Test
    void archivesOpenFileAfterReplacement() throws Exception {
        archiveWhile(() -> {
            Path other = Files.writeString(tmp.resolve("other"), "other");
            Files.move(other, large, StandardCopyOption.ATOMIC_MOVE);
        });
        assertArrayEquals(content, Files.readAllBytes(archive.resolve("large")), "the file that was opened");
    }

    @Test
    void archivesOpenFileAfterDeletion() throws Exception {
        archiveWhile(() -> Files.delete(large));
        assertArrayEquals(content, Files.readAllBytes(archive.resolve("large")), "the file that was opened");
    }

    @Test
    void rejectsFileDeletedBeforeItIsOpened() throws Exception {
        assertRejected("Cannot archive later: there is no such file", () -> Files.delete(later));
    }

    @Test
    void archivesFolderThatReplacedFile() throws Exception {
        archiveWhile(() -> {
            Files.delete(later);
            Files.createDirectory(later);
        });
        assertTrue(Files.isDirectory(archive.resolve("later")));
    }

    @Test
    void rejectsFileBelowFormerFolder() throws Exception {
        files.put("below", "later/below");
        // the reason is "Not a directory", or "there is no such file" from JDK 25 on
        assertRejected("Cannot archive later/below: ", () -> {});
    }

    @Test
    void rejectsInvalidName() throws Exception {
        files.put("nul", "a\0b");
        assertRejected("not a valid name here", () -> {});
    }

    @Test
    void rejectsUnreadableFile() throws Exception {
        Files.setPosixFilePermissions(later, PosixFilePermissions.fromString("---------"));
        assumeFalse(Files.isReadable(later), "Untested: a file without read permission, since root may read it");
        assertRejected("Cannot archive later: access denied", () -> {});
    }

    private void assertRejected(String reason, Change change) throws Exception {
        IOException rejected = assertThrows(IOException.class, () -> archiveWhile(change));
        assertTrue(rejected.getMessage().contains(reason), rejected.getMessage());
        assertFalse(
                rejected.getMessage().startsWith("Cannot write"), "only the agent's reason: " + rejected.getMessage());
        assertEquals("earlier", Files.readString(archive.resolve("large")));
        assertFalse(Files.exists(archive.resolve("later")));
    }

    private void archiveWhile(Change change) throws Exception {
        Loopback.with(new SendOptions(Codec.NONE, 0, 64 * 1024, 2))
                .through(lane -> new LaneHook(lane, (write, length) -> {
                    if (write == 1) {
                        change.run();
                    }
                    return true;
                }))
                .archive(large.getParent(), files, archive);
    }
}
