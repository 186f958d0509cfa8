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
import java.util.Enumeration;
import java.util.function.Predicate;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Copies files into a folder until it has its share of bytes. What cannot be read is left out. */
final class FileCollector {
    private final Path target;
    private final long share;
    private long bytes;

    FileCollector(Path target, long share) {
        this.target = target;
        this.share = share;
    }

    /** Copies what a folder has below it, if there is such a folder. */
    FileCollector addFrom(Path root, Predicate<String> wanted) throws IOException {
        Path into = target.resolve(root.getFileName().toString());
        if (!Files.isDirectory(root)) {
            return this;
        }
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
        return this;
    }

    /** Unpacks a zip, if there is such a file. */
    FileCollector addZip(Path zip) throws IOException {
        if (!Files.isReadable(zip)) {
            return this;
        }
        try (ZipFile in = new ZipFile(zip.toFile())) {
            for (Enumeration<? extends ZipEntry> all = in.entries(); all.hasMoreElements() && !full(); ) {
                ZipEntry entry = all.nextElement();
                Path to = target.resolve(entry.getName()).normalize();
                if (!entry.isDirectory() && fits(entry.getSize()) && to.startsWith(target)) {
                    Files.createDirectories(to.getParent());
                    try (InputStream content = in.getInputStream(entry)) {
                        bytes += Files.copy(content, to);
                    }
                    Files.setLastModifiedTime(to, entry.getLastModifiedTime());
                }
            }
        }
        return this;
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

    private boolean fits(long size) {
        return size > 0 && bytes + size <= share;
    }

    private boolean full() {
        return bytes >= share - share / 50;
    }
}
