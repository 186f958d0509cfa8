package io.jenkins.plugins.compressionaware.engine.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;

/** A file to write in a folder that was made. Used by one thread at a time. */
class PendingFile {
    private final Workspace folder;
    private final Path name;
    private final Path path;
    private final String sentAs;
    private final int mode;
    private final FileTime modified;
    /** The path that is being written, possibly the target of a link. */
    @CheckForNull
    private Path end;

    private boolean isNew;

    /**
     * @param name   its path below {@code folder}
     * @param path   where that leads
     * @param sentAs its name in the tar
     * @param mode   see {@link FileCreator#create}
     */
    PendingFile(Workspace folder, Path name, Path path, String sentAs, int mode, FileTime modified) {
        this.folder = folder;
        this.name = name;
        this.path = path;
        this.sentAs = sentAs;
        this.mode = mode;
        this.modified = modified;
    }

    /** Creates the file, see {@link Workspace#create}. */
    OutputStream create(boolean shared) throws IOException {
        return folder.create(this, shared);
    }

    /** Length of its name in characters, for the heap that it takes. */
    int nameLength() {
        return sentAs.length();
    }

    Path name() {
        return name;
    }

    Path path() {
        return path;
    }

    int mode() {
        return mode;
    }

    /** Returns the path that is being written, without links; null before and afterwards. */
    @CheckForNull
    Path end() {
        return end;
    }

    void begin(@CheckForNull Path end) {
        this.end = end;
    }

    /** Records that no file existed before. */
    void isNew() {
        isNew = true;
    }

    /** Completes the file after it was written and closed. */
    void finish() throws IOException {
        Path written = end == null ? path : end;
        folder.writer.setLastModified(written, modified);
        if (File.separatorChar == '\\' && !written.toFile().isFile()) {
            // a device, such as nul, has accepted the content, and there is no file
            throw new EntryRejectedException("Windows takes this name for that of a device");
        }
        folder.ended(this, true);
    }

    /** Removes the unfinished file, after it was closed, if no file existed before. */
    void fail(Throwable failure) {
        try {
            if (isNew && end != null) {
                Files.deleteIfExists(end);
            }
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
        folder.ended(this, false);
    }

    /** Adds the name to the message of a failure. */
    IOException explain(IOException failure) {
        return explain(sentAs, failure);
    }

    static IOException explain(String name, IOException e) {
        return e instanceof EntryRejectedException
                ? new IOException("Refused " + name + ": " + e.getMessage(), e)
                : new IOException("Cannot write " + name + ": " + reason(e), e);
    }

    /** Returns only the exception's reason, if it has one. */
    static String reason(IOException e) {
        if (e instanceof FileSystemException f) {
            return f.getReason() != null ? f.getReason() : e.toString();
        }
        return e.getMessage() != null ? e.getMessage() : e.toString();
    }
}
