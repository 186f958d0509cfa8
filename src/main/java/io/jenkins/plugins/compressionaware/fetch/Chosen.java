package io.jenkins.plugins.compressionaware.fetch;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What is to be fetched of an archive.
 *
 * @param paths  below the archive, by the name it gets
 * @param bytes  of all together
 * @param newest last change, milliseconds since 1970
 */
record Chosen(Path archive, SortedMap<String, String> paths, long bytes, long newest) {
    /**
     * Looks at each file.
     *
     * @param flatten whether names lose their folders; the last one of a name stays
     * @throws IOException naming a file that leads out of the archive, as copyartifact refuses it, too, or that there is none
     */
    static Chosen of(Path archive, Collection<String> listed, boolean flatten) throws IOException {
        Path root = archive.toRealPath();
        SortedMap<String, String> paths = new TreeMap<>();
        Set<Path> inside = new HashSet<>();
        long bytes = 0;
        long newest = 0;
        for (String path : listed) {
            try {
                Path file = archive.resolve(path);
                BasicFileAttributes facts =
                        Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                Path folder = file.getParent();
                if (inside.add(folder) && !folder.toRealPath().startsWith(root)
                        || facts.isSymbolicLink() && linksOut(file, root)) {
                    throw new IOException(Messages.Chosen_leadsOut(path));
                }
                bytes += facts.size();
                newest = Math.max(newest, facts.lastModifiedTime().toMillis());
            } catch (FileSystemException | InvalidPathException e) {
                throw new IOException(Messages.Chosen_unreadable(path, e), e);
            }
            paths.put(flatten ? nameOf(path) : path, path);
        }
        return new Chosen(archive, paths, bytes, newest);
    }

    /** As Jenkins sees it, who serves links that lead nowhere. A link travels as a link in any case. */
    private static boolean linksOut(Path link, Path root) throws IOException {
        try {
            return !link.toRealPath().startsWith(root);
        } catch (FileSystemException e) {
            return false;
        }
    }

    /** What copyartifact takes for the last name of a path. */
    static String nameOf(String path) {
        return path.replaceFirst(".+/", "");
    }
}
