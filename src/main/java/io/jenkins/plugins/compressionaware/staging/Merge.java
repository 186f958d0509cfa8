package io.jenkins.plugins.compressionaware.staging;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/**
 * Disk a staged tree into an archive that has content, all of it or nothing. What is replaced is kept in a folder beside the archive
 * until everything has moved; if something cannot move, all that has moved goes back. Used once, by one thread, while nobody else changes
 * the archive.
 */
final class Merge {
    private final Path archive;
    private final Path before;
    private final Disk disk;
    private final List<Step> steps = new ArrayList<>();

    /**
     * @param staged what moves
     * @param before does not exist; will hold what is replaced
     * @throws IOException naming what is in the way; nothing has moved
     */
    Merge(Path staged, Path archive, Path before, Disk disk) throws IOException {
        this.archive = archive;
        this.before = before;
        this.disk = disk;
        plan(new Step.Folder(staged, archive, before));
    }

    private void plan(Step.Folder folder) throws IOException {
        try (DirectoryStream<Path> children = Files.newDirectoryStream(folder.from())) {
            for (Path child : children) {
                Path name = child.getFileName();
                Path to = folder.to().resolve(name);
                BasicFileAttributes there = Step.attributes(to);
                boolean folderArrives = Place.isFolder(child);
                if (there == null) {
                    steps.add(new Step(folder, name, null));
                } else if (there.isDirectory() != folderArrives) {
                    throw new IOException("Cannot archive " + archive.relativize(to) + ": the archive has "
                            + (folderArrives ? "a file or link" : "a folder") + " of this name from an earlier step");
                } else if (folderArrives) {
                    plan(folder.child(name));
                } else {
                    steps.add(new Step(folder, name, new Step.Earlier(there)));
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    /**
     * @param after what the folder of the earlier copies is called once they are not needed any more
     * @param kept  what it is called if some of them are needed and cannot go back
     * @throws IOException          naming what could not move, and how the archive is now
     * @throws InterruptedException if the thread was interrupted while it waited to try again; the archive is as it was before
     */
    void run(Path after, Path kept) throws IOException, InterruptedException {
        int begun = 0;
        Object current = archive;
        try {
            while (begun < steps.size()) {
                Step step = steps.get(begun++);
                current = archive.relativize(step.to());
                step.run(disk);
            }
            current = "into " + archive;
            if (Place.exists(before)) {
                // from here on a crash leaves the archive as it is now
                disk.move(before, after);
            }
        } catch (InterruptedException e) {
            Undo undo = undo(begun, kept);
            if (undo.isComplete()) {
                throw e;
            }
            Thread.currentThread().interrupt();
            throw undo.explain("Interrupted", e);
        } catch (IOException | RuntimeException e) {
            Undo undo = undo(begun, kept);
            throw undo.explain("Cannot archive " + current + ": " + Disk.reason(e), e);
        }
    }

    private Undo undo(int begun, Path kept) {
        disk.bePatientAgain();
        Undo undo = new Undo(archive, before, disk);
        for (int i = begun - 1; i >= 0; i--) {
            undo.add(steps.get(i));
        }
        undo.settle(kept);
        return undo;
    }
}
