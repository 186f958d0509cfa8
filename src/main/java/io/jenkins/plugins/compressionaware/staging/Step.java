package io.jenkins.plugins.compressionaware.staging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * One thing that moves into an archive: a file, a link, or a folder that was not there. Its paths are made when they are needed, since
 * there may be very many.
 *
 * @param earlier what is replaced, or null
 */
record Step(Folder folder, Path name, Earlier earlier) {
    /** A folder that exists on both sides. */
    static final class Folder {
        private final Path from;
        private final Path to;
        private final Path before;
        private boolean beforeIsMade;

        /** @param before where earlier copies of what is in it are kept; made when it is needed */
        Folder(Path from, Path to, Path before) {
            this.from = from;
            this.to = to;
            this.before = before;
        }

        Folder child(Path name) {
            return new Folder(from.resolve(name), to.resolve(name), before.resolve(name));
        }

        Path from() {
            return from;
        }

        Path to() {
            return to;
        }

        private void makeBefore() throws IOException {
            if (!beforeIsMade) {
                Files.createDirectories(before);
                beforeIsMade = true;
            }
        }
    }

    /** @param key tells files of one file system apart, or null */
    record Earlier(Object key, boolean regular) {
        Earlier(BasicFileAttributes attributes) {
            this(attributes.fileKey(), attributes.isRegularFile());
        }
    }

    private Path from() {
        return folder.from.resolve(name);
    }

    Path to() {
        return folder.to.resolve(name);
    }

    private Path before() {
        return folder.before.resolve(name);
    }

    void run(Disk disk) throws IOException, InterruptedException {
        if (earlier != null) {
            folder.makeBefore();
            if (!earlier.regular || !disk.link(to(), before())) {
                disk.move(to(), before());
            }
        }
        disk.move(from(), to());
    }

    /** Restores what was there, whatever part of {@link #run} has been done. */
    void undo(Disk disk) throws IOException {
        if (earlier == null) {
            if (!Place.exists(from()) && Place.exists(to())) {
                disk.moveBack(to(), from());
            }
        } else if (Place.exists(before()) && !earlierIsThere()) {
            disk.moveBack(before(), to());
        }
    }

    /** Under its own name, besides the other. */
    private boolean earlierIsThere() throws IOException {
        BasicFileAttributes there = attributes(to());
        return there != null && there.fileKey() != null && there.fileKey().equals(earlier.key);
    }

    /** Of a link, not of what it points to; null if there is nothing. */
    static BasicFileAttributes attributes(Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return null;
        }
    }
}
