package io.jenkins.plugins.compressionaware.engine.staging;

import static io.jenkins.plugins.compressionaware.engine.staging.FailingFileOperations.commit;
import static io.jenkins.plugins.compressionaware.testing.FileTrees.list;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Commits on simulated disks of other systems. */
class OtherSystemsTest {
    static Stream<Configuration> systems() {
        return Stream.of(Configuration.windows(), Configuration.osX(), Configuration.unix());
    }

    @ParameterizedTest
    @MethodSource("systems")
    void secondArchiveMergesIntoFirst(Configuration system) throws Exception {
        try (FileSystem files = Jimfs.newFileSystem(system)) {
            Path archive = files.getPath("jobs", "job", "builds", "1", "archive");
            commit(archive, new FileOperations(), "kept", "d/replaced");
            commit(archive, new FileOperations(), "d/replaced", "d/new");
            assertEquals("kept", Files.readString(archive.resolve("kept")));
            assertEquals("d/replaced", Files.readString(archive.resolve("d/replaced")));
            assertEquals(List.of("new", "replaced"), list(archive.resolve("d")));
            assertEquals(List.of("archive"), list(archive.getParent()));
        }
    }

    /** Windows denies access to a file in use, and to a file that can never be moved. */
    @ParameterizedTest
    @MethodSource("systems")
    void deniedAccessIsRetriedOnlyOnWindows(Configuration system) throws Exception {
        try (FileSystem files = Jimfs.newFileSystem(system)) {
            Path archive = files.getPath("archive");
            commit(archive, new FileOperations(), "a");
            FailingFileOperations denied = new FailingFileOperations((from, to) -> false) {
                @Override
                void rename(Path from, Path to) throws IOException {
                    if (pauses.size() < 3) {
                        throw new AccessDeniedException(from.toString());
                    }
                    super.rename(from, to);
                }
            };
            if (files.getSeparator().equals("\\")) {
                commit(archive, denied, "b");
                assertEquals(List.of("a", "b"), list(archive));
            } else {
                assertThrows(IOException.class, () -> commit(archive, denied, "b"));
                assertEquals(List.of("a"), list(archive));
                assertEquals(List.of(), denied.pauses);
            }
        }
    }

    /** Core does the same. */
    @ParameterizedTest
    @MethodSource("systems")
    void linkReplacesOnlyEmptyFolder(Configuration system) throws Exception {
        try (FileSystem files = Jimfs.newFileSystem(system)) {
            Path archive = files.getPath("archive");
            FileTrees.write(archive, "full/file", "full/file");
            Files.createDirectory(archive.resolve("empty"));
            try (StagedArchive staged = new StagedArchive(archive, null)) {
                for (String name : List.of("full", "empty", "new")) {
                    Files.createSymbolicLink(staged.folder().resolve(name), files.getPath("elsewhere"));
                }
                assertEquals(
                        List.of(new ExtractionWarning(ExtractionWarning.Type.DIRECTORY_NOT_REPLACED, 1, "full", "")),
                        staged.commit());
            }
            assertEquals("full/file", Files.readString(archive.resolve("full/file")));
            assertEquals(files.getPath("elsewhere"), Files.readSymbolicLink(archive.resolve("empty")));
            assertEquals(files.getPath("elsewhere"), Files.readSymbolicLink(archive.resolve("new")));
            assertEquals(List.of("empty", "full", "new"), list(archive));
        }
    }
}
