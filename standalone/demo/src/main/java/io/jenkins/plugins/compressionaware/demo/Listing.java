package io.jenkins.plugins.compressionaware.demo;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What there is to archive in a folder.
 *
 * @param names   files, links and empty folders, relative, with forward slashes
 * @param sizes   bytes of each, in the same order
 * @param special sockets and the like, which are left out
 */
public record Listing(List<String> names, List<Long> sizes, int special) {
    public static Listing of(Path root) throws IOException {
        Collector collector = new Collector(root);
        Files.walkFileTree(root, collector);
        return new Listing(collector.names, collector.sizes, collector.special);
    }

    /** Of all files together. */
    public long bytes() {
        return sizes.stream().mapToLong(Long::longValue).sum();
    }

    /** The names from the start that have so many bytes together. */
    List<String> upTo(long bytes) {
        long total = 0;
        List<String> first = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            if (total + sizes.get(i) <= bytes) {
                total += sizes.get(i);
                first.add(names.get(i));
            }
        }
        return first;
    }

    private static final class Collector extends SimpleFileVisitor<Path> {
        private final Path root;
        private final List<String> names = new ArrayList<>();
        private final List<Long> sizes = new ArrayList<>();
        private final Set<Path> parents = new HashSet<>();
        private int special;

        Collector(Path root) {
            this.root = root;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isOther()) {
                special++;
            } else {
                add(file, attributes.isSymbolicLink() ? 0 : attributes.size());
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, IOException failure) throws IOException {
            if (failure != null) {
                throw failure;
            }
            if (!folder.equals(root) && !parents.contains(folder)) {
                add(folder, 0);
            }
            return FileVisitResult.CONTINUE;
        }

        private void add(Path path, long size) {
            names.add(root.relativize(path).toString().replace(File.separatorChar, '/'));
            sizes.add(size);
            Path parent = path.getParent();
            while (parents.add(parent) && !parent.equals(root)) {
                parent = parent.getParent();
            }
        }
    }
}
