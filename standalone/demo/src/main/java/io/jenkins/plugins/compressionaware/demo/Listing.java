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
import java.util.stream.IntStream;

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

    /** Names from all over the folder that have about so many bytes together. */
    List<String> part(long bytes) {
        int step = (int) Math.max(1, bytes() / bytes);
        return IntStream.range(0, names.size())
                .filter(i -> i % step == 0)
                .mapToObj(names::get)
                .toList();
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
