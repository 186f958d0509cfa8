package io.jenkins.plugins.compressionaware.fetch;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.tar.SeekableTar;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The files of an archive that are to be fetched.
 *
 * @param archive real path, without links
 * @param members by their new names
 */
record FetchSelection(Path archive, SortedMap<String, SeekableTar.Entry> members) {
    /**
     * Looks at each file.
     *
     * @param flatten   whether names lose their folders; the last file of a name stays
     * @param mayChange see {@link SeekableTar.Entry#look}
     * @throws IOException naming a file that cannot be read, or that leads out of the archive, which copyartifact refuses, too
     */
    static FetchSelection of(Path archive, Collection<String> listed, boolean flatten, boolean mayChange)
            throws IOException {
        Path root = archive.toRealPath();
        SortedMap<String, SeekableTar.Entry> members = new TreeMap<>();
        Set<Path> inside = new HashSet<>();
        for (String path : listed) {
            try {
                SeekableTar.Entry member = SeekableTar.Entry.look(root, path, mayChange);
                if (member == null) {
                    throw new FileSystemException(path, null, "neither a file nor a link");
                }
                Path file = root.resolve(path);
                Path folder = file.getParent();
                if (inside.add(folder) && !folder.toRealPath().startsWith(root)
                        || member.target() != null && escapesArchive(file, root)) {
                    throw new IOException(Messages.FetchSelection_leadsOut(path));
                }
                members.put(flatten ? baseName(path) : path, member);
            } catch (FileSystemException | InvalidPathException e) {
                throw new IOException(Messages.FetchSelection_unreadable(path, e), e);
            }
        }
        return new FetchSelection(root, members);
    }

    /** Size of all files together. */
    long bytes() {
        return members.values().stream().mapToLong(SeekableTar.Entry::size).sum();
    }

    /**
     * All plain files of an archive, found several times as fast as by a pattern.
     *
     * @param mayChange see {@link SeekableTar.Entry#look}
     * @return null if there are none, anything else, or a name that Jenkins lists differently
     */
    @CheckForNull
    static FetchSelection allFiles(Path archive, boolean mayChange) throws IOException {
        Path root = archive.toRealPath();
        SortedMap<String, SeekableTar.Entry> members = new TreeMap<>();
        try {
            boolean plain = addPlain(root, "", members, mayChange) && !members.isEmpty();
            return plain ? new FetchSelection(root, members) : null;
        } catch (FileSystemException | DirectoryIteratorException | InvalidPathException e) {
            return null;
        }
    }

    /** Looks at each file once; false if one is not plain. */
    private static boolean addPlain(
            Path root, String folder, SortedMap<String, SeekableTar.Entry> members, boolean mayChange)
            throws IOException {
        List<Path> files = new ArrayList<>();
        // only one folder is open at a time, however deep the tree
        try (DirectoryStream<Path> children = Files.newDirectoryStream(root.resolve(folder))) {
            children.forEach(files::add);
        }
        for (Path file : files) {
            String path = folder + file.getFileName();
            SeekableTar.Entry member = SeekableTar.Entry.look(root, path, mayChange);
            boolean plain = member == null
                    ? Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)
                            && addPlain(root, path + "/", members, mayChange)
                    : member.target() == null;
            if (!plain || path.indexOf('\\') >= 0) {
                return false;
            } else if (member != null) {
                members.put(path, member);
            }
        }
        return true;
    }

    /** Whether a link leads out of the archive; as in Jenkins, not if it leads nowhere. Links always travel as links. */
    private static boolean escapesArchive(Path link, Path root) throws IOException {
        try {
            return !link.toRealPath().startsWith(root);
        } catch (FileSystemException e) {
            return false;
        }
    }

    /** The last name of a path, as copyartifact determines it. */
    static String baseName(String path) {
        return path.replaceFirst(".+/", "");
    }
}
