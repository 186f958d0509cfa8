package io.jenkins.plugins.compressionaware.staging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * What a process that has died left beside an archive, or of a {@link PartialFile}. Staged files that had not moved are deleted. If files had been replaced and their
 * transfer was not over, the earlier copies go back; what was new then, and had moved already, stays.
 */
final class Leftovers {
    private static final Logger LOGGER = Logger.getLogger(Leftovers.class.getName());

    private final Place place;
    private final Use use;
    private final Disk disk;

    private Leftovers(Place place, Use use, Disk disk) {
        this.place = place;
        this.use = use;
        this.disk = disk;
    }

    /**
     * Removes them. What a {@link StagedTree} of this process uses is left alone.
     *
     * @param archive need not exist
     * @throws IOException          if a part of them has to stay
     * @throws InterruptedException if interrupted while another transfer changes the archive
     */
    static void remove(Path archive) throws IOException, InterruptedException {
        remove(archive, new Disk());
    }

    static void remove(Path archive, Disk disk) throws IOException, InterruptedException {
        if (PartialFile.is(archive)) {
            disk.delete(archive);
            return;
        }
        if (!Files.isDirectory(Place.parent(archive))) {
            return;
        }
        Place place = Place.of(archive);
        try (Use use = new Use(place)) {
            new Leftovers(place, use, disk).remove();
        }
    }

    /**
     * Whether there are any.
     *
     * @param archive need not exist
     */
    static boolean exist(Path archive) throws IOException {
        if (PartialFile.is(archive)) {
            return Files.exists(archive, LinkOption.NOFOLLOW_LINKS);
        }
        if (!Files.isDirectory(Place.parent(archive))) {
            return false;
        }
        Place place = Place.of(archive);
        try (Use use = new Use(place)) {
            return !unused(place, use).isEmpty();
        }
    }

    /** A folder's number is in use before the folder is made: so look for folders first. */
    private static List<Place.Sibling> unused(Place place, Use use) throws IOException {
        List<Place.Sibling> siblings = place.siblings();
        siblings.removeIf(sibling -> use.isOpen(sibling.number()));
        return siblings;
    }

    private void remove() throws IOException, InterruptedException {
        IOException first = null;
        for (Place.Sibling left : unused(place, use)) {
            try {
                remove(left);
            } catch (IOException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private void remove(Place.Sibling left) throws IOException, InterruptedException {
        if (left.role() == Place.Role.BEFORE) {
            use.lock();
            try {
                putBack(left);
            } finally {
                use.unlock();
            }
        } else {
            Deletion.delete(left.folder(), disk);
        }
        LOGGER.log(Level.INFO, "Cleaned up {0}, which an interrupted transfer had left", left.folder());
    }

    private void putBack(Place.Sibling left) throws IOException {
        if (!Place.exists(left.folder())) {
            return;
        }
        try {
            if (Place.isFolder(place.archive())) {
                Files.walkFileTree(left.folder(), new PutBack(left.folder(), place.archive(), disk));
            }
        } catch (IOException e) {
            // not tried again: a later step may replace the same files
            Path kept = place.kept(left.number());
            disk.moveBack(left.folder(), kept);
            throw new IOException(
                    "Cannot put back files of " + place.archive() + " that an interrupted transfer was replacing; "
                            + "they are in " + kept,
                    e);
        }
        Deletion.delete(left.folder(), disk);
    }
}
