package io.jenkins.plugins.compressionaware.engine.staging;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.IntPredicate;

/** Lets chosen renames fail as if a file were in use, and records pauses without waiting. */
class FailingFileOperations extends FileOperations {
    final List<Long> pauses = new ArrayList<>();
    int renames;
    private final BiPredicate<Path, Path> broken;

    FailingFileOperations(BiPredicate<Path, Path> broken) {
        this.broken = broken;
    }

    /** @param broken whether the rename of this number, from 1, fails */
    static FailingFileOperations at(IntPredicate broken) {
        int[] number = {0};
        return new FailingFileOperations((from, to) -> broken.test(++number[0]));
    }

    /** Commits files whose content is their name. */
    static void commit(Path archive, FileOperations disk, String... names) throws IOException, InterruptedException {
        Files.createDirectories(archive.toAbsolutePath().getParent());
        try (StagedArchive staged = new StagedArchive(StagedArchive.real(archive), null, disk)) {
            for (String name : names) {
                FileTrees.write(staged.folder(), name, name);
            }
            staged.commit();
        }
    }

    @Override
    void rename(Path from, Path to) throws IOException {
        renames++;
        if (broken.test(from, to)) {
            throw new FileSystemException(from.toString(), to.toString(), "in use");
        }
        super.rename(from, to);
    }

    @Override
    void pause(long millis) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        pauses.add(millis);
    }

    long waited() {
        return pauses.stream().mapToLong(Long::longValue).sum();
    }
}
