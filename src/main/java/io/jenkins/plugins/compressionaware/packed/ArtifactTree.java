package io.jenkins.plugins.compressionaware.packed;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Util;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.packed.PackedArchive;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import jenkins.util.VirtualFile;

/**
 * The artifacts of a build: packed ones, and plain files, which are newer than packed ones of the same name because {@link PackedArchive} replaces older ones.
 * Links are followed inside the archive only. Thread-safe.
 */
final class ArtifactTree {
    /** As many links as Ant follows. With more, a few links into each other would take very long to list. */
    private static final int MAX_LINKS = 5;

    private final File folder;
    private final PackedArchive packed;

    /** Paths of the packed archives, which are no artifacts. */
    private final Set<String> hidden;

    /** Whether there are plain files besides. */
    private final boolean mixed;

    ArtifactTree(File folder, PackedArchive packed) throws IOException {
        this.folder = folder;
        this.packed = packed;
        hidden = Set.copyOf(packed.paths());
        mixed = PackedArchive.hasPlainFiles(folder.toPath());
    }

    /**
     * A file, folder or link.
     *
     * @param path  below the archive, without links
     * @param found null for a plain file
     */
    record Node(String path, @CheckForNull PackedArchive.Found found, File file) {
        @CheckForNull
        String target() throws IOException {
            if (found == null) {
                return Files.isSymbolicLink(file.toPath())
                        ? Files.readSymbolicLink(file.toPath()).toString()
                        : null;
            }
            return found.entry() == null || found.entry().type() != TarEntry.LINK
                    ? null
                    : found.entry().target();
        }

        boolean isFolder() {
            return found == null ? file.isDirectory() : found.isFolder();
        }

        long length() {
            return found == null
                    ? file.length()
                    : found.isFolder() ? 0 : found.entry().size();
        }

        long lastModified() {
            boolean known = found != null && found.entry() != null;
            return known ? TimeUnit.SECONDS.toMillis(found.entry().seconds()) : file.lastModified();
        }

        int mode() throws IOException {
            if (found == null) {
                return VirtualFile.forFile(file).mode();
            }
            return found.entry() == null ? 0755 : found.entry().mode();
        }

        /** Returns whether an agent has found that the content does not compress. False for plain files. */
        boolean isIncompressible() throws IOException {
            return found != null && !found.isFolder() && found.file().isIncompressible(found.entry());
        }

        InputStream open() throws IOException {
            if (found == null) {
                return Files.newInputStream(file.toPath(), LinkOption.NOFOLLOW_LINKS);
            } else if (found.isFolder()) {
                throw new IOException(path + " is a folder");
            }
            return found.open();
        }
    }

    /** Returns what has a path, without following links; null if there is nothing. */
    @CheckForNull
    private Node look(String path) throws IOException {
        File file = new File(folder, path);
        try {
            Path plain = mixed ? file.toPath() : null;
            if (plain != null && Files.exists(plain, LinkOption.NOFOLLOW_LINKS)) {
                boolean isFolder = Files.isDirectory(plain, LinkOption.NOFOLLOW_LINKS);
                return hidden.contains(path) || isFolder && packed.find(path) != null
                        ? found(path)
                        : new Node(path, null, file);
            }
        } catch (InvalidPathException e) {
            // no plain file has this name
        }
        return found(path);
    }

    @CheckForNull
    private Node found(String path) throws IOException {
        PackedArchive.Found found = packed.find(path);
        return found == null ? null : node(path, found);
    }

    private Node node(String path, PackedArchive.Found found) {
        return new Node(path, found, new File(folder, PackedArchive.FOLDER));
    }

    /**
     * Follows links.
     *
     * @return null if there is nothing, also if a link leads out of the archive
     */
    @CheckForNull
    Node resolve(String path) throws IOException {
        // a plain file may be below a link out of the archive
        Node direct = mixed ? null : look(path);
        if (direct != null && direct.target() == null) {
            return direct;
        }
        Deque<String> names = new ArrayDeque<>(Arrays.asList(parts(path)));
        String at = "";
        Node last = look("");
        for (int links = 0; !names.isEmpty(); ) {
            String name = names.pop();
            if (name.equals("..")) {
                if (at.isEmpty()) {
                    return null;
                }
                at = at.substring(0, Math.max(0, at.lastIndexOf('/')));
                last = look(at);
            } else if (!name.isEmpty() && !name.equals(".")) {
                String next = at.isEmpty() ? name : at + '/' + name;
                last = look(next);
                String target = last == null ? null : last.target();
                if (last == null || target != null && (target.startsWith("/") || ++links > MAX_LINKS)) {
                    return null;
                } else if (target == null) {
                    at = next;
                } else {
                    String[] parts = parts(target);
                    for (int i = parts.length - 1; i >= 0; i--) {
                        names.push(parts[i]);
                    }
                }
            }
        }
        return last;
    }

    private static String[] parts(String path) {
        return path.replace(File.separatorChar, '/').split("/");
    }

    /** Returns the packed archives in the order of their steps; empty if there are also plain files, or objects of single files. */
    List<Path> archives() throws IOException {
        List<Path> archives =
                packed.paths().stream().map(folder.toPath()::resolve).toList();
        for (Path archive : archives) {
            StoredRecord stored = StoredRecord.of(archive);
            if (mixed || stored != null && !stored.files().isEmpty()) {
                return List.of();
            }
        }
        return archives;
    }

    /** See {@link PackedArchive#entryPages}. */
    int entryPages() throws IOException {
        return packed.entryPages();
    }

    /** Returns the text of a link; null for anything else. */
    @CheckForNull
    String readLink(String path) throws IOException {
        int slash = path.lastIndexOf('/');
        Node folder = resolve(path.substring(0, Math.max(0, slash)));
        String name = path.substring(slash + 1);
        Node node = folder == null ? null : look(folder.path().isEmpty() ? name : folder.path() + '/' + name);
        return node == null ? null : node.target();
    }

    /** Returns what is in a folder, by name; null where a link or a plain file needs a look. The path has no links. */
    SortedMap<String, Node> list(String path) throws IOException {
        SortedMap<String, Node> children = new TreeMap<>();
        String below = path.isEmpty() ? "" : path + '/';
        packed.list(path).forEach((name, found) -> {
            boolean link = found.entry() != null && found.entry().type() == TarEntry.LINK;
            children.put(name, link || mixed ? null : node(below + name, found));
        });
        if (mixed) {
            try (DirectoryStream<Path> files =
                    Files.newDirectoryStream(folder.toPath().resolve(path))) {
                for (Path file : files) {
                    String name = String.valueOf(file.getFileName());
                    if (!hidden.contains(below + name) && !(path.isEmpty() && holdsOnlyHidden(file))) {
                        children.putIfAbsent(name, null);
                    }
                }
            } catch (NoSuchFileException | NotDirectoryException | InvalidPathException e) {
                return children;
            }
        }
        return children;
    }

    private boolean holdsOnlyHidden(Path folder) throws IOException {
        return String.valueOf(folder.getFileName()).equals(PackedArchive.FOLDER)
                && Arrays.stream(Util.fixNull(folder.toFile().list(), new String[0]))
                        .allMatch(name -> hidden.contains(PackedArchive.FOLDER + '/' + name));
    }
}
