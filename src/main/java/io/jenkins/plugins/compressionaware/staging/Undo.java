package io.jenkins.plugins.compressionaware.staging;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Takes steps back, the last one first, goes on when one of them cannot be, and tells which ones. */
final class Undo {
    private static final Logger LOGGER = Logger.getLogger(Undo.class.getName());
    /** How many names a message has; the log has all. */
    private static final int NAMED = 20;

    private final Path archive;
    private final Path before;
    private final Disk disk;
    private final List<String> landed = new ArrayList<>();
    private final List<String> missing = new ArrayList<>();
    private boolean earlierCopiesLeft;
    private Path earlierCopies;
    private IOException first;

    Undo(Path archive, Path before, Disk disk) {
        this.archive = archive;
        this.before = before;
        earlierCopies = before;
        this.disk = disk;
    }

    void add(Step step) {
        try {
            step.undo(disk);
        } catch (IOException e) {
            (Place.exists(step.to()) ? landed : missing)
                    .add(archive.relativize(step.to()).toString());
            earlierCopiesLeft |= step.earlier() != null;
            if (first == null) {
                first = e;
            }
        }
    }

    /**
     * When all steps have been added: earlier copies that could not go back get a name under which they stay. What else is in their
     * folder is of no use.
     */
    void settle(Path kept) {
        if (!Place.exists(before)) {
            return;
        }
        try {
            if (earlierCopiesLeft) {
                disk.moveBack(before, kept);
                earlierCopies = kept;
            } else {
                Deletion.delete(before, disk);
            }
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot " + (earlierCopiesLeft ? "rename " : "delete ") + before);
        }
    }

    /** Whether the archive is as it was before. */
    boolean isComplete() {
        return landed.isEmpty() && missing.isEmpty();
    }

    /** Says how the archive is now. */
    IOException explain(String failure, Exception cause) {
        if (isComplete()) {
            return new IOException(failure + ". The archive is as it was before this step.", cause);
        }
        StringBuilder state = new StringBuilder(failure).append('.');
        if (!landed.isEmpty()) {
            state.append(" Has arrived and cannot be taken back: ").append(some(landed));
        }
        if (!missing.isEmpty()) {
            state.append(" Is missing now: ").append(some(missing));
        }
        if (earlierCopiesLeft) {
            state.append(" Earlier copies are in ").append(earlierCopies).append('.');
        }
        state.append(" All else is as it was before this step.");
        LOGGER.log(
                Level.WARNING,
                first,
                () -> failure + " in " + archive + ". Has arrived: " + landed + ". Is missing: " + missing);
        IOException mixture = new IOException(state.toString(), cause);
        mixture.addSuppressed(first);
        return mixture;
    }

    private static String some(List<String> names) {
        String text = String.join(", ", names.subList(0, Math.min(NAMED, names.size())));
        return names.size() > NAMED ? text + " and " + (names.size() - NAMED) + " more." : text + ".";
    }
}
