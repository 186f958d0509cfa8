package io.jenkins.plugins.compressionaware.engine.staging;

import static io.jenkins.plugins.compressionaware.testing.FileTrees.list;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process dies, or fails, while it moves staged files into an archive one by one. */
class KilledMergeTest {
    @TempDir
    private Path tmp;

    private Path folder;
    private Path archive;
    private StagingJournal journal;

    @BeforeEach
    void prepare() throws Exception {
        archive = Files.createDirectories(tmp.resolve("build")).resolve("archive");
        folder = Files.createDirectories(tmp.resolve("home")).resolve("journal");
        journal = new StagingJournal(folder, tmp);
    }

    @Test
    void killedMergeIsFinished() throws Exception {
        FileTrees.write(archive, "d/old", "old");
        Jvm.run(List.of(), Killed.class, archive.toString(), folder.toString(), tmp.toString());
        assertEquals(2, list(archive.resolve("d")).size(), "killed in the middle");
        journal.deleteAbandoned(0);
        journal.finishMerges();
        assertEquals(List.of("f1", "f2", "old"), list(archive.resolve("d")));
        assertEquals(List.of("archive"), list(archive.getParent()));
        assertEquals(0, list(folder).size());
    }

    /** Runs in a separate JVM, and is killed when the second file is moved. */
    static final class Killed {
        private Killed() {}

        public static void main(String[] args) throws Exception {
            FileOperations files = FailingFileOperations.at(number -> {
                if (number == 2) {
                    Runtime.getRuntime().halt(0);
                }
                return false;
            });
            StagingJournal journal = new StagingJournal(Path.of(args[1]), Path.of(args[2]));
            StagedArchive staged = new StagedArchive(StagedArchive.real(Path.of(args[0])), journal, files);
            FileTrees.write(staged.folder(), "d/f1", "");
            FileTrees.write(staged.folder(), "d/f2", "");
            staged.commit();
        }
    }

    /** The step has failed, and its message names the missing files. */
    @Test
    void failedMergeIsNotFinished() throws Exception {
        FileTrees.write(archive, "old", "old");
        FailingFileOperations files = new FailingFileOperations((from, to) -> true) {
            @Override
            void delete(Path path) throws IOException {
                throw new AccessDeniedException(path.toString());
            }
        };
        try (StagedArchive staged = new StagedArchive(StagedArchive.real(archive), journal, files)) {
            FileTrees.write(staged.folder(), "new", "new");
            assertThrows(IOException.class, staged::commit);
        }
        journal.finishMerges();
        assertEquals(List.of("old"), list(archive));
        journal.deleteAbandoned(0);
        assertEquals(List.of("archive"), list(archive.getParent()));
    }
}
