package io.jenkins.plugins.compressionaware.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/** Describes folders so that tests can compare them. */
public final class FileTrees {
    private FileTrees() {}

    /**
     * Returns type, mode, modification second, size and checksum of everything below a folder, by relative path. Modes and times of folders are omitted,
     * because core does not send them.
     */
    public static Map<String, String> describe(Path root) throws IOException {
        Map<String, String> tree = new TreeMap<>();
        if (!Files.exists(root)) {
            return tree;
        }
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : (Iterable<Path>) paths.filter(p -> !p.equals(root))::iterator) {
                tree.put(root.relativize(path).toString(), describeOne(path));
            }
        }
        return tree;
    }

    /**
     * Returns the first difference between a folder and a copy of some of its content.
     *
     * @param names the files, links and empty folders to be copied
     */
    public static Optional<String> difference(Path root, Path copy, Collection<String> names) throws IOException {
        Map<String, String> copied = describe(copy);
        Set<String> wanted = new HashSet<>(names);
        for (String name : wanted) {
            String was = describeOne(root.resolve(name));
            String is = copied.get(name);
            if (!was.equals(is)) {
                return Optional.of(name + " was " + was + " and is " + (is == null ? "missing" : is));
            }
            for (int end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1)) {
                copied.remove(name.substring(0, end));
            }
        }
        copied.keySet().removeAll(wanted);
        return copied.keySet().stream().findFirst().map(name -> name + " was not requested");
    }

    private static String describeOne(Path path) throws IOException {
        if (Files.isSymbolicLink(path)) {
            return "link to " + Files.readSymbolicLink(path);
        }
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            return "folder";
        }
        CRC32 crc = new CRC32();
        byte[] buffer = new byte[1 << 16];
        try (var in = Files.newInputStream(path)) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                crc.update(buffer, 0, n);
            }
        }
        String mode = path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? PosixFilePermissions.toString(Files.getPosixFilePermissions(path))
                : "of Windows";
        return "file " + mode + " "
                + Math.floorDiv(Files.getLastModifiedTime(path).toMillis(), 1000L) + " " + Files.size(path) + " "
                + crc.getValue();
    }

    /** Returns all files, links and empty folders below {@code root} under their own names, as a build step would select them. */
    public static Map<String, String> names(Path root) throws IOException {
        Map<String, String> names = new HashMap<>();
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : (Iterable<Path>) paths.filter(p -> !p.equals(root))::iterator) {
                if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) || isEmpty(path)) {
                    String name = root.relativize(path).toString();
                    names.put(name, name);
                }
            }
        }
        return names;
    }

    private static boolean isEmpty(Path folder) throws IOException {
        return list(folder).isEmpty();
    }

    /** Returns the sorted names in a folder; none if the folder does not exist. */
    public static List<String> list(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> children = Files.list(folder)) {
            return children.map(child -> child.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    /** Writes a text file, and creates its parent folders. */
    public static Path write(Path root, String name, String content) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    /** Deletes a folder with its content, if it exists. */
    public static void delete(Path folder) throws IOException {
        if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    /** Returns incompressible bytes, which differ for each length. */
    public static byte[] noise(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** Writes incompressible bytes to a file with a fixed time, and creates its parent folders. */
    public static void noise(Path file, int length) throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, noise(length));
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_600_000_000_000L));
    }
}
