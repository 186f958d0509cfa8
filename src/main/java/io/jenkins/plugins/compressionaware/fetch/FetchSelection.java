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
 * The files to fetch from an archive.
 *
 * @param archive real path, without symbolic links
 * @param members files and links, by path below the destination
 */
record FetchSelection(Path archive, SortedMap<String, SeekableTar.Entry> members) {
    /**
     * Selects the listed files.
     *
     * @param flatten whether to drop folder names; among files of equal name, the last one is selected
     * @param mayChange see {@link SeekableTar.Entry#look}
     * @throws IOException naming a file that cannot be read, or that leads out of the archive, which Copy Artifact refuses as well
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

    long bytes() {
        return members.values().stream().mapToLong(SeekableTar.Entry::size).sum();
    }

    /**
     * Selects all files of an archive without matching a pattern, which is several times as fast.
     *
     * @param mayChange see {@link SeekableTar.Entry#look}
     * @return null if the archive is empty, or has a link, a special file, or a name that Jenkins lists differently
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

    /** Adds the files below a folder, and returns false at the first file that is not a regular file. */
    private static boolean addPlain(
            Path root, String folder, SortedMap<String, SeekableTar.Entry> members, boolean mayChange)
            throws IOException {
        List<Path> files = new ArrayList<>();
        // closed before the next folder is opened, so that a deep tree needs few file descriptors
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

    /** Returns whether a link leads out of the archive; false for a dangling link, as in Jenkins. */
    private static boolean escapesArchive(Path link, Path root) throws IOException {
        try {
            return !link.toRealPath().startsWith(root);
        } catch (FileSystemException e) {
            return false;
        }
    }

    /** Returns the last name of a path, as Copy Artifact computes it. */
    static String baseName(String path) {
        return path.replaceFirst(".+/", "");
    }
}
