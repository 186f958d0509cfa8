package io.jenkins.plugins.compressionaware.staging;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** Disk files and links back into the folders of an archive that they are from. */
final class PutBack extends SimpleFileVisitor<Path> {
    private final Path before;
    private final Path archive;
    private final Disk disk;

    PutBack(Path before, Path archive, Disk disk) {
        this.before = before;
        this.archive = archive;
        this.disk = disk;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
        if (!Place.isFolder(home(folder))) {
            throw new IOException(home(folder) + " is no folder any more");
        }
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        disk.moveBack(file, home(file));
        return FileVisitResult.CONTINUE;
    }

    private Path home(Path path) {
        return archive.resolve(before.relativize(path));
    }
}
