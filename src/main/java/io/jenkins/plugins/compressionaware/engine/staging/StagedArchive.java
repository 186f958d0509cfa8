package io.jenkins.plugins.compressionaware.engine.staging;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A folder beside an archive, on the same disk, that is filled first and then moves into the archive. Usually that is one rename; if the archive
 * already has content, only the folders that exist on both sides are walked. Used by one thread.
 */
@Restricted(NoExternalUse.class)
public final class StagedArchive implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(StagedArchive.class.getName());

    private final FileOperations files;
    private final Path archive;
    private final Path folder;
    private final ArchiveLock lock;

    @CheckForNull
    private final StagingJournal.Entry note;

    /**
     * Creates an empty folder.
     *
     * @param archive need not exist; a link to a folder is followed, as core does
     * @param notes   record the folder for the next process; null where nobody will ask
     */
    public StagedArchive(Path archive, @CheckForNull StagingJournal notes) throws IOException {
        this(archive, notes, new FileOperations());
    }

    StagedArchive(Path archive, @CheckForNull StagingJournal notes, FileOperations files) throws IOException {
        this(files, real(archive), notes);
    }

    /** Creates no parent folder, so that a build that is being deleted does not reappear. The archive's path has no links. */
    StagedArchive(FileOperations files, Path archive, @CheckForNull StagingJournal notes) throws IOException {
        this.files = files;
        this.archive = archive;
        BasicFileAttributes earlier = FileOperations.attributes(this.archive);
        if (earlier != null && !earlier.isDirectory()) {
            throw new IOException("Cannot archive: " + archive + " is not a folder");
        }
        folder = PartialPath.create(Objects.requireNonNull(this.archive.getParent()));
        lock = new ArchiveLock(this.archive);
        note = notes == null ? null : notes.open(folder);
        try {
            Files.createDirectory(folder);
        } catch (IOException | RuntimeException e) {
            releaseLockAndEntry();
            throw e;
        }
    }

    /** The same path for every spelling of an archive's, whether or not the archive exists yet. */
    private static Path real(Path archive) throws IOException {
        Path absolute = archive.toAbsolutePath();
        if (Files.isSymbolicLink(absolute) && Files.isDirectory(absolute)) {
            return absolute.toRealPath();
        }
        Path parent = Objects.requireNonNull(absolute.getParent(), () -> archive + " cannot be an archive");
        return Files.createDirectories(parent).toRealPath().resolve(absolute.getFileName());
    }

    /** The folder to fill. */
    public Path folder() {
        return folder;
    }

    /**
     * Moves everything into the archive. Files and links of the same name are replaced, others stay. May wait for other transfers into the same archive, and
     * up to ten seconds for files that cannot be renamed now.
     *
     * @return landing warnings
     * @throws IOException          that names what is in the way, with the archive unchanged; or what has arrived and what is missing
     * @throws InterruptedException if interrupted while waiting; the message names what has arrived and what is missing
     */
    public List<ExtractionWarning> commit() throws IOException, InterruptedException {
        try {
            return new TreeMerge(folder, archive, files).run(lock.lock());
        } catch (IOException e) {
            throw new IOException("Cannot archive into " + archive + ": " + e.getMessage(), e);
        }
    }

    /** Deletes what was not committed. A failure is only logged: it does not affect the archive. */
    @Override
    public void close() {
        try {
            files.deleteRecursively(folder);
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot delete " + folder + ", which is not needed any more");
        } finally {
            releaseLockAndEntry();
        }
    }

    private void releaseLockAndEntry() {
        lock.close();
        if (note != null) {
            note.close();
        }
    }
}
