package io.jenkins.plugins.compressionaware.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Collections;
import java.util.function.Predicate;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Copies files until a number of bytes is reached. Missing and unreadable files are skipped. */
final class FileCollector {
    private final long limit;
    private long bytes;

    FileCollector(long limit) {
        this.limit = limit;
    }

    /** Copies files of a folder to a subfolder of the same name. */
    void addFrom(Path root, Path target, Predicate<String> wanted) throws IOException {
        Path into = target.resolve(root.getFileName().toString());
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (attributes.isRegularFile() && wanted.test(file.getFileName().toString())) {
                    copy(file, into.resolve(root.relativize(file).toString()), attributes.size());
                }
                return full() ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path dir, IOException e) {
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private void copy(Path from, Path to, long size) throws IOException {
        if (!fits(size) || Files.exists(to)) {
            return;
        }
        Files.createDirectories(to.getParent());
        try {
            Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
            bytes += size;
        } catch (AccessDeniedException e) {
            Files.deleteIfExists(to);
        }
    }

    void addZip(Path zip, Path target) throws IOException {
        if (!Files.isReadable(zip)) {
            return;
        }
        try (ZipFile in = new ZipFile(zip.toFile())) {
            for (ZipEntry entry : Collections.list(in.entries())) {
                Path to = target.resolve(entry.getName()).normalize();
                if (!full() && !entry.isDirectory() && fits(entry.getSize()) && to.startsWith(target)) {
                    Files.createDirectories(to.getParent());
                    try (InputStream content = in.getInputStream(entry)) {
                        bytes += Files.copy(content, to);
                    }
                    Files.setLastModifiedTime(to, entry.getLastModifiedTime());
                }
            }
        }
    }

    private boolean fits(long size) {
        return size > 0 && bytes + size <= limit;
    }

    private boolean full() {
        return bytes >= limit - limit / 50;
    }
}
