package io.jenkins.plugins.compressionaware.engine.packed;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.staging.ArchiveLock;
import io.jenkins.plugins.compressionaware.engine.staging.StagedArchive;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/** Adds a complete packed archive to the artifacts of a build. */
final class PackedCommit {
    private final Path archive;

    /** Moves the complete file to a name. */
    interface Publisher {
        void publish(Path name) throws IOException;
    }

    /** @param archive folder of the artifacts; need not exist */
    PackedCommit(Path archive) throws IOException {
        this.archive = StagedArchive.real(archive);
    }

    /** Returns a path beside which the incomplete file is written. */
    Path sibling() {
        return archive;
    }

    /**
     * Publishes the file after those of earlier steps, and deletes the files that it replaces. May wait for other steps of the build.
     *
     * @throws IOException that names the conflict, with the artifacts unchanged
     */
    void run(Publisher file, List<TarEntry> entries) throws IOException, InterruptedException {
        try (ArchiveLock lock = ArchiveLock.open(archive)) {
            lock.lock().lockInterruptibly();
            try {
                boolean hasOthers = checkConflicts(entries);
                makeFolder(archive);
                Path folder = archive.resolve(PackedArchive.FOLDER);
                makeFolder(folder);
                file.publish(folder.resolve(PackedArchive.nextName(folder)));
                if (hasOthers) {
                    for (TarEntry entry : entries) {
                        deleteFile(archive.resolve(entry.name()));
                    }
                }
            } finally {
                lock.lock().unlock();
            }
        } catch (IOException e) {
            throw new IOException("Cannot archive into " + archive + ": " + e.getMessage(), e);
        }
    }

    /** Creates no parent folder, so that a build that is being deleted does not reappear. */
    private static void makeFolder(Path folder) throws IOException {
        try {
            Files.createDirectory(folder);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                throw e;
            }
        }
    }

    private static void deleteFile(Path file) throws IOException {
        if (!Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
            Files.deleteIfExists(file);
        }
    }

    /** Returns whether the artifacts contain plain files. */
    private boolean checkConflicts(List<TarEntry> entries) throws IOException {
        PackedArchive packed = PackedArchive.of(archive);
        boolean hasOthers = PackedArchive.hasPlainFiles(archive);
        String checked = "";
        for (TarEntry entry : hasOthers || packed != null ? entries : List.<TarEntry>of()) {
            Boolean existing = isFolder(entry.name(), packed, hasOthers);
            if (existing != null && existing != (entry.type() == TarEntry.FOLDER)) {
                throw new IOException(
                        entry.name() + (existing ? " exists, and is a folder" : " exists, and is no folder"));
            }
            String folder = entry.name().substring(0, Math.max(0, entry.name().lastIndexOf('/')));
            for (String each = folder; !each.isEmpty() && !each.equals(checked); each = parent(each)) {
                if (Boolean.FALSE.equals(isFolder(each, packed, hasOthers))) {
                    throw new IOException(each + " exists, and is no folder");
                }
            }
            checked = folder;
        }
        return hasOthers;
    }

    private static String parent(String name) {
        return name.substring(0, Math.max(0, name.lastIndexOf('/')));
    }

    /** Returns whether an existing artifact is a folder; null if it does not exist. */
    @CheckForNull
    private Boolean isFolder(String name, @CheckForNull PackedArchive packed, boolean hasOthers) throws IOException {
        Path plain = archive.resolve(name);
        if (hasOthers && Files.exists(plain, LinkOption.NOFOLLOW_LINKS)) {
            return Files.isDirectory(plain, LinkOption.NOFOLLOW_LINKS);
        }
        PackedArchive.Found found = packed == null ? null : packed.find(name);
        return found == null ? null : found.isFolder();
    }
}
