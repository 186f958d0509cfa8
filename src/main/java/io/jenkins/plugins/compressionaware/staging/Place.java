package io.jenkins.plugins.compressionaware.staging;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where an archive is, the same for every way to write its path, and the names of the folders beside it: each is that of one staged tree, whose
 * number it has.
 */
record Place(Path archive) {
    private static final Pattern NUMBER =
            Pattern.compile("-(\\p{XDigit}{8}(?:-\\p{XDigit}{4}){3}-\\p{XDigit}{12})(.*)");

    /** What a folder beside an archive holds. */
    enum Role {
        /** What has not moved into the archive. */
        STAGED(""),
        /** Earlier copies of what has moved into the archive, by a commit that was not over: they belong into the archive. */
        BEFORE("-before"),
        /** The same, by a commit that is over. */
        REPLACED("-replaced");

        private final String suffix;

        Role(String suffix) {
            this.suffix = suffix;
        }
    }

    /** A folder beside the archive. */
    record Sibling(Path folder, UUID number, Role role) {}

    /**
     * @param archive need not exist; a link to a folder is followed, as core does
     */
    static Place of(Path archive) throws IOException {
        Path absolute = archive.toAbsolutePath();
        if (Files.isSymbolicLink(absolute) && Files.isDirectory(absolute)) {
            return new Place(absolute.toRealPath());
        }
        // not yet there for one branch of a build and there for the next: both must come to the same path
        return new Place(Files.createDirectories(parent(absolute)).toRealPath().resolve(absolute.getFileName()));
    }

    /** The folder that an archive is in. */
    static Path parent(Path archive) {
        return Objects.requireNonNull(archive.toAbsolutePath().getParent(), () -> archive + " cannot be an archive");
    }

    Path folder(UUID number, Role role) {
        return archive.resolveSibling(prefix() + "-" + number + role.suffix);
    }

    /** For earlier copies that cannot go back. A name that nothing but the removal of the build removes. */
    Path kept(UUID number) {
        return archive.resolveSibling(prefix() + "-" + number + "-kept");
    }

    /** The folders of all staged trees. */
    List<Sibling> siblings() throws IOException {
        List<Sibling> siblings = new ArrayList<>();
        Path parent = parent(archive);
        try (DirectoryStream<Path> all = Files.newDirectoryStream(parent)) {
            for (Path path : all) {
                String name = parent.relativize(path).toString();
                if (!name.startsWith(prefix())) {
                    continue;
                }
                Matcher matcher = NUMBER.matcher(name.substring(prefix().length()));
                if (matcher.matches()) {
                    for (Role role : Role.values()) {
                        if (role.suffix.equals(matcher.group(2))) {
                            siblings.add(new Sibling(path, UUID.fromString(matcher.group(1)), role));
                        }
                    }
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return siblings;
    }

    private String prefix() {
        return "." + archive.getFileName();
    }

    static boolean isFolder(Path path) {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
    }

    static boolean exists(Path path) {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }
}
