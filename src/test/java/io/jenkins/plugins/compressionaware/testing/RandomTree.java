package io.jenkins.plugins.compressionaware.testing;

import java.io.File;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/** Creates a random tree of files, folders and links, as a build may leave in a workspace. Equal seeds create equal trees. */
public final class RandomTree {
    private static final long LAST_SECOND =
            Instant.parse("2100-01-01T00:00:00Z").getEpochSecond();
    private static final boolean UNICODE_NAMES = Charset.forName(System.getProperty(
                    "sun.jnu.encoding", Charset.defaultCharset().name()))
            .newEncoder()
            .canEncode('\u65e5');

    private final Random random;
    private final List<Path> folders = new ArrayList<>();
    private final List<Path> files = new ArrayList<>();

    private RandomTree(long seed) {
        random = new Random(seed);
    }

    /**
     * Fills a folder with about forty entries and at most about 2 MiB.
     *
     * @param root empty, or does not exist
     * @return {@code root}
     */
    public static Path create(Path root, long seed) throws IOException {
        Files.createDirectories(root);
        new RandomTree(seed).fill(root);
        return root;
    }

    private void fill(Path root) throws IOException {
        folders.add(root);
        for (int i = random.nextInt(8); i > 0; i--) {
            folder();
        }
        for (int i = 5 + random.nextInt(20); i > 0; i--) {
            file();
        }
        for (int i = random.nextInt(8); i > 0; i--) {
            link(root);
        }
    }

    private void folder() throws IOException {
        Path folder = newPath();
        // a deeper path may be too long for a system call once the tree is inside another folder
        if (folder != null && folder.toString().length() < 1_500) {
            folders.add(Files.createDirectory(folder));
        }
    }

    private void file() throws IOException {
        Path file = newPath();
        if (file == null) {
            return;
        }
        Files.write(file, content());
        files.add(file);
        Files.setLastModifiedTime(file, time());
        if (File.separatorChar == '/') {
            Files.setPosixFilePermissions(file, mode());
        }
    }

    private byte[] content() {
        int size =
                switch (random.nextInt(6)) {
                    case 0 -> 0;
                    case 1 -> 1;
                    case 2 -> 512 * (1 + random.nextInt(3));
                    case 3 -> random.nextInt(200_000);
                    default -> random.nextInt(5_000);
                };
        byte[] content = new byte[size];
        if (random.nextBoolean()) {
            random.nextBytes(content);
        } else {
            for (int i = 0; i < size; i++) {
                content[i] = (byte) ("the quick brown fox\n".charAt(i % 20) + (random.nextInt(50) == 0 ? 1 : 0));
            }
        }
        return content;
    }

    private FileTime time() {
        long second = (long) (random.nextDouble() * LAST_SECOND);
        return FileTime.from(Instant.ofEpochSecond(second, random.nextBoolean() ? 0 : random.nextInt(1_000_000_000)));
    }

    /** Returns a random mode that the owner can read. */
    private Set<PosixFilePermission> mode() {
        Set<PosixFilePermission> mode = EnumSet.of(PosixFilePermission.OWNER_READ);
        for (PosixFilePermission permission : PosixFilePermission.values()) {
            if (random.nextBoolean()) {
                mode.add(permission);
            }
        }
        return mode;
    }

    private void link(Path root) throws IOException {
        Path link = newPath();
        if (link == null) {
            return;
        }
        Path target =
                switch (random.nextInt(6)) {
                    case 0 -> Path.of("dangling");
                    case 1 -> Path.of("/absolute/and dangling");
                    case 2 -> root.toAbsolutePath();
                    case 3 -> Path.of("l".repeat(100 + random.nextInt(156)), "m".repeat(1 + random.nextInt(250)));
                    case 4 -> link.getParent().relativize(pick(folders)).resolve(".");
                    default ->
                        files.isEmpty() ? Path.of("..") : link.getParent().relativize(pick(files));
                };
        Files.createSymbolicLink(link, target);
    }

    private Path newPath() {
        Path path = pick(folders).resolve(name());
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS) ? null : path;
    }

    private String name() {
        String letters = "" + (char) ('a' + random.nextInt(26)) + random.nextInt(1_000);
        return switch (random.nextInt(12)) {
            case 0 -> "." + letters;
            case 1 -> "-" + letters;
            case 2 -> letters + " with  spaces ";
            case 3 -> UNICODE_NAMES ? letters + "\u00fc\u65e5\u672c\u8a9e\ud83d\ude00" : letters;
            case 4 -> File.separatorChar == '/' ? letters + "\\back\\slash" : letters;
            case 5 -> letters + "x".repeat(100 - letters.length());
            case 6 -> letters + "x".repeat(101 - letters.length());
            case 7 -> letters + "x".repeat(255 - letters.length());
            case 8 -> File.separatorChar == '/' ? letters + "\"'*?:<>|\n\t" : letters;
            case 9 -> letters + ".tar.gz~";
            default -> letters;
        };
    }

    private Path pick(List<Path> paths) {
        return paths.get(random.nextInt(paths.size()));
    }

    /**
     * Deletes links to folders. Ant follows them five levels deep, and would need minutes for a few links into each other.
     *
     * @param kept number of links that stay
     */
    public static void deleteLinksToFolders(Path tree, int kept) throws IOException {
        List<Path> links;
        try (Stream<Path> all = Files.walk(tree)) {
            links = all.filter(Files::isSymbolicLink)
                    .filter(Files::isDirectory)
                    .skip(kept)
                    .toList();
        }
        for (Path link : links) {
            Files.delete(link);
        }
    }
}
