package io.jenkins.plugins.compressionaware.staging;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** Deletes a folder with all that is in it, or as much of it as can be. Does not follow links. */
final class Deletion extends SimpleFileVisitor<Path> {
    private final Disk disk;
    private IOException first;

    private Deletion(Disk disk) {
        this.disk = disk;
    }

    /**
     * @param folder need not exist
     * @throws IOException about the first thing that cannot be deleted
     */
    static void delete(Path folder, Disk disk) throws IOException {
        Deletion deletion = new Deletion(disk);
        Files.walkFileTree(folder, deletion);
        if (deletion.first != null) {
            throw deletion.first;
        }
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
        try {
            disk.delete(file);
        } catch (IOException e) {
            failed(e);
        }
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
        if (!(e instanceof NoSuchFileException)) {
            failed(e);
        }
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, IOException failure) {
        if (failure != null) {
            failed(failure);
        }
        return visitFile(folder, null);
    }

    private void failed(IOException e) {
        if (first == null) {
            first = e;
        }
    }
}
