package io.jenkins.plugins.compressionaware.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Compares what was archived with where it came from. */
public final class TreeComparison {
    private final Path source;
    private final Path archive;

    public TreeComparison(Path source, Path archive) {
        this.source = source;
        this.archive = archive;
    }

    /** The first difference in kind, contents, mode, modification second or link target, or a name too many. */
    public Optional<String> firstDifference(List<String> names) throws IOException {
        for (String name : names) {
            Optional<String> difference = difference(name);
            if (difference.isPresent()) {
                return difference.map(what -> name + ": " + what);
            }
        }
        Set<String> tooMany = new HashSet<>(Listing.of(archive).names());
        names.forEach(tooMany::remove);
        return tooMany.stream().sorted().findFirst().map(name -> name + ": was not asked for");
    }

    private Optional<String> difference(String name) throws IOException {
        Path from = source.resolve(name);
        Path to = archive.resolve(name);
        if (!Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.of("is missing");
        }
        BasicFileAttributes sent = attributes(from);
        BasicFileAttributes received = attributes(to);
        Optional<String> kind = changed("kind", kind(sent), kind(received));
        if (kind.isPresent() || sent.isDirectory()) {
            return kind;
        }
        if (sent.isSymbolicLink()) {
            return changed("target", Files.readSymbolicLink(from), Files.readSymbolicLink(to));
        }
        return changed("size", sent.size(), received.size())
                .or(() -> changed("modification second", second(sent), second(received)))
                .or(() -> contents(from, to))
                .or(() -> changed("mode", mode(from), mode(to)));
    }

    private static BasicFileAttributes attributes(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    private static String kind(BasicFileAttributes attributes) {
        if (attributes.isSymbolicLink()) {
            return "link";
        }
        return attributes.isDirectory() ? "folder" : "file";
    }

    private static long second(BasicFileAttributes attributes) {
        return Math.floorDiv(attributes.lastModifiedTime().toMillis(), 1000L);
    }

    private static Optional<String> contents(Path from, Path to) {
        try {
            long position = Files.mismatch(from, to);
            return position < 0 ? Optional.empty() : Optional.of("contents differ from byte " + position + " on");
        } catch (IOException e) {
            return Optional.of("cannot be compared: " + e);
        }
    }

    private static String mode(Path path) {
        PosixFileAttributeView view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
        if (view == null) {
            return "";
        }
        try {
            return PosixFilePermissions.toString(view.readAttributes().permissions());
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static Optional<String> changed(String what, Object sent, Object received) {
        return sent.equals(received)
                ? Optional.empty()
                : Optional.of(what + " was " + sent + " and is " + received);
    }
}
