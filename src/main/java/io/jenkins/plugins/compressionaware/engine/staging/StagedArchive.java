package io.jenkins.plugins.compressionaware.engine.staging;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A folder next to an archive, on the same disk, that is filled first and then merged into the archive. The merge is usually one rename; if the archive has
 * content, only folders that exist on both sides are walked. Not thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class StagedArchive implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(StagedArchive.class.getName());

    private final FileOperations files;
    private final Path archive;
    private final Path folder;
    final ArchiveLock lock;

    @CheckForNull
    private final StagingJournal.Entry entry;

    /**
     * Creates an empty folder. Creates no parent folder, so that a build that is being deleted does not reappear.
     *
     * @param archive need not exist; a link to a folder is followed, as in core
     * @param journal records the folder, so that after a crash the next process finishes its commit or deletes it; null for no record
     */
    public StagedArchive(Path archive, @CheckForNull StagingJournal journal) throws IOException {
        this(real(archive), journal, new FileOperations());
    }

    /** Creates an empty folder for an archive path without links. */
    StagedArchive(Path archive, @CheckForNull StagingJournal journal, FileOperations files) throws IOException {
        this.files = files;
        this.archive = archive;
        BasicFileAttributes existing = FileOperations.attributes(archive);
        if (existing != null && !existing.isDirectory()) {
            throw new IOException("Cannot archive: " + archive + " is not a folder");
        }
        folder = PartialPath.create(Objects.requireNonNull(archive.getParent()));
        lock = ArchiveLock.open(archive);
        entry = journal == null ? null : journal.open(folder);
        try {
            Files.createDirectory(folder);
        } catch (IOException | RuntimeException e) {
            releaseLockAndEntry();
            throw e;
        }
    }

    /** Returns an equal path for all spellings of an archive's path, whether or not the archive exists. Its parent folder must exist. */
    public static Path real(Path archive) throws IOException {
        Path absolute = archive.toAbsolutePath();
        if (Files.isSymbolicLink(absolute) && Files.isDirectory(absolute)) {
            return absolute.toRealPath();
        }
        Path parent = Objects.requireNonNull(absolute.getParent(), () -> archive + " cannot be an archive");
        try {
            return parent.toRealPath().resolve(absolute.getFileName());
        } catch (NoSuchFileException e) {
            throw new IOException("Cannot archive: " + parent + " does not exist", e);
        }
    }

    public Path folder() {
        return folder;
    }

    /**
     * Merges the folder into the archive. Files and links of the same name are replaced, and others stay. May wait for other transfers into the same archive,
     * and up to ten seconds for files that cannot be renamed yet.
     *
     * @return extraction warnings
     * @throws IOException that names the conflict, with the archive unchanged; or the files that were moved and those that are missing
     * @throws InterruptedException if interrupted while waiting; names the files that were moved and those that are missing
     */
    public List<ExtractionWarning> commit() throws IOException, InterruptedException {
        boolean merged = false;
        try {
            List<ExtractionWarning> warnings = new TreeMerge(
                            folder, archive, files, () -> setTarget(String.valueOf(archive.getFileName())))
                    .run(lock.lock());
            merged = true;
            return warnings;
        } catch (IOException e) {
            throw new IOException("Cannot archive into " + archive + ": " + e.getMessage(), e);
        } finally {
            if (!merged) {
                setTarget("");
            }
        }
    }

    private void setTarget(String name) {
        if (entry != null) {
            entry.setTarget(name);
        }
    }

    /** Finishes the {@link #commit} of a process that has died. */
    static void finish(Path folder, Path archive) throws IOException, InterruptedException {
        FileOperations files = new FileOperations();
        try (ArchiveLock lock = ArchiveLock.open(archive)) {
            new TreeMerge(folder, archive, files, () -> {}).run(lock.lock());
        }
        files.deleteRecursively(folder);
    }

    /** Deletes all files that were not committed. A failure is only logged, because it does not affect the archive. */
    @Override
    public void close() {
        try {
            files.deleteRecursively(folder);
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot delete " + folder + ", which is no longer needed");
        } finally {
            releaseLockAndEntry();
        }
    }

    private void releaseLockAndEntry() {
        lock.close();
        if (entry != null) {
            entry.close();
        }
    }
}
