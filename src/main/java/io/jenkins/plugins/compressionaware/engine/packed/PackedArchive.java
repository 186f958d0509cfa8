package io.jenkins.plugins.compressionaware.engine.packed;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.Nullable;
import io.jenkins.plugins.compressionaware.engine.tar.EntryRejectedException;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** All packed archives of one build, one for each step. For a name in several of them, the latest counts. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class PackedArchive {
    /** Name of the folder below a build's artifacts. */
    public static final String FOLDER = "packed-artifacts";

    private static final Pattern NAME = Pattern.compile("([1-9][0-9]{0,8})\\.tar\\.zst");

    /** A folder without an entry of its own leads on after this many entries, which is faster than a search. */
    private static final int FEW = 16;

    /** In the order of the steps. */
    private final List<PackedFile> files;

    /**
     * A file, link or folder.
     *
     * @param entry null for a folder that is known only by its content
     */
    public record Found(PackedFile file, @Nullable TarEntry entry) {
        public boolean isFolder() {
            return entry == null || entry.type() == TarEntry.FOLDER;
        }

        /** Returns whether the content of a file is an object of its own. */
        public boolean isObject() {
            return entry != null && entry.type() == TarEntry.OBJECT;
        }

        /** Opens the content of a file. Skipping is cheap. */
        public InputStream open() throws IOException {
            return file.open(entry);
        }
    }

    /** Returns the paths of the packed archives, below the artifacts. */
    public List<String> paths() {
        return files.stream()
                .map(file -> FOLDER + '/' + Path.of(file.name()).getFileName())
                .toList();
    }

    private PackedArchive(List<PackedFile> files) {
        this.files = files;
    }

    /** Returns null if there are none. */
    @CheckForNull
    public static PackedArchive of(Path archive) throws IOException {
        List<PackedFile> files = new ArrayList<>();
        for (Path file : list(archive.resolve(FOLDER)).values()) {
            files.add(PackedFile.of(file));
        }
        return files.isEmpty() ? null : new PackedArchive(files);
    }

    /** Returns the packed archives in a folder by their number. A link is none, because an agent may have archived it. */
    public static SortedMap<Integer, Path> list(Path folder) throws IOException {
        SortedMap<Integer, Path> found = new TreeMap<>();
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
                for (Path file : files) {
                    Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
                    if (name.matches()
                            && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                            && PackedFile.isPacked(file)) {
                        found.put(Integer.valueOf(name.group(1)), file);
                    }
                }
            }
        }
        return found;
    }

    /**
     * Refuses plain files that would be read as packed archives, because an agent could forge their indexes.
     *
     * @param staged folder of complete files, before they are moved into an archive
     */
    public static void refuseForged(Path staged) throws IOException {
        SortedMap<Integer, Path> forged = list(staged.resolve(FOLDER));
        if (!forged.isEmpty()) {
            String name = staged.relativize(forged.get(forged.firstKey())).toString();
            throw new EntryRejectedException("Refused " + name + ": it looks like packed artifacts");
        }
    }

    /** Returns a name after those of all files that exist. */
    static String nextName(Path folder) throws IOException {
        int last = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
                last = name.matches() ? Math.max(last, Integer.parseInt(name.group(1))) : last;
            }
        }
        return last + 1 + ".tar.zst";
    }

    /** Returns whether a folder of artifacts contains more than packed archives. */
    public static boolean hasPlainFiles(Path archive) throws IOException {
        if (!Files.isDirectory(archive)) {
            return false;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(archive)) {
            for (Path file : files) {
                if (!String.valueOf(file.getFileName()).equals(FOLDER)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the number of index pages, which have some 2,000 entries each. */
    public int entryPages() throws IOException {
        int pages = 0;
        for (PackedFile file : files) {
            pages += file.entryPages();
        }
        return pages;
    }

    /** Returns what has a path, without following links; null if there is nothing. */
    @CheckForNull
    public Found find(String path) throws IOException {
        for (int i = files.size() - 1; i >= 0; i--) {
            PackedFile file = files.get(i);
            TarEntry entry = file.first(path);
            if (entry != null && entry.name().equals(path)) {
                return new Found(file, entry);
            }
            String below = path.isEmpty() ? "" : path + '/';
            if (entry != null && entry.name().startsWith(path) && !entry.name().startsWith(below)) {
                entry = file.first(below); // a name with a character that precedes the slash is between them
            }
            if (entry != null && entry.name().startsWith(below)) {
                return new Found(file, null);
            }
        }
        return null;
    }

    /** Returns everything directly below a folder, by name. */
    public Map<String, Found> list(String folder) throws IOException {
        Map<String, Found> children = new TreeMap<>();
        String below = folder.isEmpty() ? "" : folder + '/';
        for (PackedFile file : files) {
            int[] inside = new int[1];
            file.visit(below, entry -> {
                if (!entry.name().startsWith(below)) {
                    return null;
                }
                int slash = entry.name().indexOf('/', below.length());
                if (slash < 0) {
                    children.put(entry.name().substring(below.length()), new Found(file, entry));
                    return "";
                }
                String child = entry.name().substring(below.length(), slash);
                inside[0] = children.putIfAbsent(child, new Found(file, null)) == null ? 0 : inside[0] + 1;
                // the character after a slash
                return inside[0] < FEW ? "" : entry.name().substring(0, slash) + '0';
            });
        }
        return children;
    }
}
