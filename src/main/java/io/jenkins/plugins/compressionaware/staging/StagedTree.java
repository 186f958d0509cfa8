package io.jenkins.plugins.compressionaware.staging;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A folder beside an archive folder, on the same file system, whose content moves into the archive in one go. Usually that is one rename;
 * where the archive has content already, only the folders that exist on both sides are walked. Used by one thread.
 */
public final class StagedTree implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(StagedTree.class.getName());

    private final Place place;
    private final Use use;
    private final Disk disk;
    private final Path folder;
    private final Path replaced;

    /**
     * Creates an empty folder.
     *
     * @param archive need not exist; a link to a folder is followed, as core does
     */
    public StagedTree(Path archive) throws IOException {
        this(archive, new Disk());
    }

    StagedTree(Path archive, Disk disk) throws IOException {
        this.disk = disk;
        place = Place.of(archive);
        if (Place.exists(place.archive()) && !Place.isFolder(place.archive())) {
            throw new IOException("Cannot archive: " + archive + " is not a folder");
        }
        use = new Use(place);
        folder = place.folder(use.number(), Place.Role.STAGED);
        replaced = place.folder(use.number(), Place.Role.REPLACED);
        try {
            Files.createDirectory(folder);
        } catch (IOException | RuntimeException e) {
            use.close();
            throw e;
        }
    }

    /** The folder to fill. */
    public Path folder() {
        return folder;
    }

    /**
     * Disk everything into the archive. Files and links of the same name are replaced, others stay. May wait: for other transfers
     * into the same archive, and for files that cannot be renamed now, ten seconds until it gives up and as long until what has moved is back.
     *
     * @throws IOException          naming what is in the way. The archive is as it was before, or the message says what is not
     * @throws InterruptedException if interrupted while it waits; the archive is as it was before
     */
    public void commit() throws IOException, InterruptedException {
        use.lock();
        try {
            if (Place.exists(place.archive())) {
                new Merge(folder, place.archive(), place.folder(use.number(), Place.Role.BEFORE), disk)
                        .run(replaced, place.kept(use.number()));
            } else {
                moveAll();
            }
        } finally {
            use.unlock();
        }
    }

    private void moveAll() throws IOException, InterruptedException {
        try {
            disk.move(folder, place.archive());
        } catch (IOException e) {
            throw new IOException("Cannot archive into " + place.archive() + ": " + Disk.reason(e), e);
        }
    }

    /** Deletes what has not been committed, and what has been replaced. What cannot be deleted is logged: it does not concern the archive. */
    @Override
    public void close() {
        try {
            delete(folder);
            delete(replaced);
        } finally {
            use.close();
        }
    }

    private void delete(Path left) {
        try {
            Deletion.delete(left, disk);
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot delete " + left + ", which is not needed any more");
        }
    }
}
