package io.jenkins.plugins.compressionaware.engine.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Objects;

/** A file to write in an existing folder. Used by one thread at a time. */
class PendingFile {
    private final Workspace folder;
    final Path name;
    final Path path;
    final String sentAs;
    final int mode;
    private final FileTime modified;
    /** The path that is being written, with links resolved; null if no write is running. */
    @CheckForNull
    private Path end;

    private boolean isNew;

    /**
     * @param name   path relative to the root of {@code folder}
     * @param path   path on disk; no parent is a link
     * @param sentAs name in the tar
     * @param mode   permissions, see {@link FileCreator#create}
     */
    PendingFile(Workspace folder, Path name, Path path, String sentAs, int mode, FileTime modified) {
        this.folder = folder;
        this.name = name;
        this.path = path;
        this.sentAs = sentAs;
        this.mode = mode;
        this.modified = modified;
    }

    OutputStream create(boolean shared) throws IOException {
        return folder.create(this, shared);
    }

    /** Returns whether {@link #end} is being written. */
    boolean isBegun() {
        return end != null;
    }

    /** Returns the path that is being written, with links resolved. */
    Path end() {
        return Objects.requireNonNull(end);
    }

    void begin(@CheckForNull Path end) {
        this.end = end;
    }

    /** Records that the file did not exist before. */
    void markNew() {
        isNew = true;
    }

    /** Sets the modification time of the file after it was written and closed. */
    void finish() throws IOException {
        Path written = end();
        folder.writer.setLastModified(written, modified);
        if (File.separatorChar == '\\' && !written.toFile().isFile()) {
            // Windows wrote to a device, such as nul, and created no file
            throw new EntryRejectedException("Windows takes this name for that of a device");
        }
        folder.release(this, true);
    }

    /** Deletes the incomplete file after it was closed, if it did not exist before. */
    void fail(Throwable failure) {
        try {
            if (isNew && end != null) {
                Files.deleteIfExists(end);
            }
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
        folder.release(this, false);
    }

    /** Adds the file's name to the message of a failure. */
    static IOException explain(String name, IOException e) {
        return e instanceof EntryRejectedException
                ? new IOException("Refused " + name + ": " + e.getMessage(), e)
                : new IOException(TarUnpacker.CANNOT_WRITE + name + ": " + reason(e), e);
    }

    /** Returns the reason of an exception without its paths, if it has a reason. */
    static String reason(IOException e) {
        if (e instanceof FileSystemException f) {
            return f.getReason() != null ? f.getReason() : e.toString();
        }
        return e.getMessage() != null ? e.getMessage() : e.toString();
    }
}
