package io.jenkins.plugins.compressionaware.demo;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.io.file.PathUtils;

/**
 * The content of a folder to archive.
 *
 * @param sizes   bytes of files, links and empty folders, by relative name with forward slashes
 * @param special number of sockets and other special files, which are not archived
 */
public record Listing(Map<String, Long> sizes, int special) {
    /**
     * Lists a folder.
     *
     * @throws java.io.UncheckedIOException if a subfolder cannot be read
     */
    public static Listing of(Path root) throws IOException {
        Map<String, Long> sizes = new LinkedHashMap<>();
        int special = 0;
        try (Stream<Path> all = Files.walk(root)) {
            for (Path path : (Iterable<Path>) all.skip(1)::iterator) {
                var attributes = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                if (attributes.isOther()) {
                    special++;
                } else if (!attributes.isDirectory() || PathUtils.isEmptyDirectory(path)) {
                    String name = root.relativize(path).toString().replace(File.separatorChar, '/');
                    sizes.put(name, attributes.isRegularFile() ? attributes.size() : 0);
                }
            }
        }
        return new Listing(sizes, special);
    }

    public List<String> names() {
        return List.copyOf(sizes.keySet());
    }

    /** Returns the total size. */
    public long bytes() {
        return sizes.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns names from all over the folder whose files have about this total size. */
    List<String> part(long bytes) {
        int step = (int) Math.max(1, bytes() / bytes);
        List<String> names = names();
        return IntStream.range(0, names.size())
                .filter(i -> i % step == 0)
                .mapToObj(names::get)
                .toList();
    }
}
