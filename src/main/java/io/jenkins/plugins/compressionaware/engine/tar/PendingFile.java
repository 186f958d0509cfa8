package io.jenkins.plugins.compressionaware.engine.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.File;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Objects;

/**
 * A file to write in an existing folder: {@link #create}, the content, then {@link #finish} or {@link #fail}. Used by one thread at a time.
 *
 * <ul>
 *   <li>An existing file is written in place, as in core. If it cannot be opened, it stays until its replacement is complete.
 *   <li>A failure deletes only what this object has created, and only if nothing else has replaced or written it since.
 *   <li>Permissions or a time that cannot be set are a warning.
 * </ul>
 */
class PendingFile {
    /** How often to start anew if other processes create and delete the file. Each link of a chain of dangling links needs one start, too. */
    private static final int MAX_STARTS = 50;

    private final Workspace folder;
    final Path name;
    final Path path;
    final String sentAs;
    final int number;
    final int mode;
    private final FileTime modified;
    private final FileClaims claims;
    /** The path of the file, with links resolved. */
    private Path resolved;
    /** The file that this object has created: at {@link #resolved}, or beside it as a replacement; null while there is none. */
    @CheckForNull
    private Path created;

    /** File key of {@link #created}; null if unknown. */
    @CheckForNull
    private Object identity;

    /** Limits of the size of {@link #created}, bytes. */
    private long minSize;

    private long maxSize;
    /** Why permissions or time could not be set. */
    @CheckForNull
    private IOException unset;

    /**
     * @param name   path relative to the root of {@code folder}
     * @param path   path on disk; no parent is a link
     * @param sentAs name in the tar
     * @param mode   permissions, see {@link FileCreator#create}
     * @param number number of entries before it in the tar
     */
    PendingFile(Workspace folder, Path name, Path path, String sentAs, int mode, FileTime modified, int number) {
        this.folder = folder;
        this.name = name;
        this.path = path;
        this.sentAs = sentAs;
        this.mode = mode;
        this.modified = modified;
        this.number = number;
        claims = new FileClaims(folder);
    }

    /**
     * Creates the file, or opens a regular one to overwrite it. Waits while another thread writes the file, possibly under another name.
     *
     * @param shared whether the caller is one of several writers, which are not interrupted
     */
    OutputStream create(boolean shared) throws IOException {
        resolved = path;
        for (int left = MAX_STARTS; left > 0; left--) {
            claims.claimPath(resolved);
            if (!folder.isWindows || !Files.isSymbolicLink(resolved)) {
                try {
                    return createNew(resolved, shared);
                } catch (FileAlreadyExistsException e) {
                    // the file is overwritten below
                }
            }
            if (folder.isPrivate) {
                folder.deleteExisting(resolved, name);
                continue;
            }
            BasicFileAttributes existing = folder.writer.attributes(resolved);
            if (existing != null && existing.isSymbolicLink()) {
                folder.checkFollowed(resolved);
                resolved = resolve(resolved);
            } else if (existing != null) {
                folder.checkRegular(path, existing);
                claims.claimIdentity(existing.fileKey());
                try {
                    return overwrite(existing, shared);
                } catch (NoSuchFileException e) {
                    // another process has deleted the file
                }
            }
        }
        throw new FileSystemException(null, null, "other processes create and delete this file all the time");
    }

    private OutputStream createNew(Path target, boolean shared) throws IOException {
        OutputStream out = folder.writer.create(target, mode, shared);
        created = target;
        permit(target, null);
        // without a count, blocks of another file can be shared, see EntryDecoder.Content
        return folder.isPrivate ? out : new CountedOutputStream(out);
    }

    /** @param existing attributes of the file before it was opened; null for a new file */
    private void permit(Path target, @CheckForNull BasicFileAttributes existing) {
        try {
            FileCreator writer = folder.writer;
            BasicFileAttributes now = existing != null || !writer.posix ? existing : writer.attributes(target);
            identity = now == null ? null : now.fileKey();
            writer.permit(target, mode, now, existing == null);
        } catch (IOException e) {
            unset = e;
        }
    }

    /** Returns the path without links; for a dangling link, the path to which it leads. */
    private static Path resolve(Path link) throws IOException {
        try {
            return link.toRealPath();
        } catch (NoSuchFileException e) {
            Path target = link.resolveSibling(Files.readSymbolicLink(link));
            return Objects.requireNonNull(target.getParent()).toRealPath().resolve(target.getFileName());
        }
    }

    private OutputStream overwrite(BasicFileAttributes existing, boolean shared) throws IOException {
        for (long millis = 10; ; millis *= 2) {
            try {
                OutputStream out = folder.writer.overwrite(resolved);
                permit(resolved, existing);
                return out;
            } catch (NoSuchFileException e) {
                throw e;
            } catch (FileSystemException e) {
                if (!folder.isWindows) {
                    return replace(e, shared);
                }
                folder.pause(millis, e);
            }
        }
    }

    /** Creates the replacement of a file that is read-only, belongs to another user, or is a running program. */
    private OutputStream replace(FileSystemException failure, boolean shared) throws IOException {
        try {
            return createNew(FileCreator.partial(resolved), shared);
        } catch (IOException e) {
            failure.addSuppressed(e);
            throw failure;
        }
    }

    /** Sets the time of the file after it was written and closed, and moves a replacement into place. */
    void finish() throws IOException {
        Path written = created == null ? resolved : created;
        try {
            folder.writer.setLastModified(written, modified);
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            unset = unset == null ? e : unset;
        }
        if (File.separatorChar == '\\' && !written.toFile().isFile()) {
            // Windows wrote to a device, such as nul, and created no file
            throw new EntryRejectedException("Windows takes this name for that of a device");
        }
        if (!written.equals(resolved)) {
            moveIntoPlace(written);
        }
        if (unset != null) {
            folder.warn(ExtractionWarning.Type.ATTRIBUTES_NOT_SET, name, reason(unset));
        }
        folder.arrived.incrementAndGet();
        claims.release();
    }

    private void moveIntoPlace(Path replacement) throws IOException {
        try {
            folder.writer.rename(replacement, resolved);
        } catch (NoSuchFileException e) { // NFS may lose the reply, and then repeats the request
            BasicFileAttributes now = folder.writer.attributes(resolved);
            if (identity == null || now == null || !identity.equals(now.fileKey())) {
                throw e;
            }
        }
    }

    /** Deletes the incomplete file after it was closed, if this object has created it. */
    void fail(Throwable failure) {
        Path incomplete = created;
        try {
            if (incomplete != null && (folder.isPrivate || isUnchanged(incomplete))) {
                Files.deleteIfExists(incomplete);
            }
        } catch (IOException | RuntimeException e) {
            failure.addSuppressed(e);
        } finally {
            claims.release();
        }
    }

    /** Returns whether the path is still the file that was created, and no other process has written to it. */
    private boolean isUnchanged(Path file) throws IOException {
        BasicFileAttributes now = folder.writer.attributes(file);
        return now != null
                && now.isRegularFile()
                && (identity == null || identity.equals(now.fileKey()))
                && minSize <= now.size()
                && now.size() <= maxSize;
    }

    /** Records the size of the file. After an error, a network disk may have lost bytes that it had accepted before. */
    private final class CountedOutputStream extends FilterOutputStream {
        CountedOutputStream(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            minSize = 0;
            maxSize += length;
            out.write(bytes, offset, length);
            minSize = maxSize;
        }

        @Override
        public void close() throws IOException {
            long written = minSize;
            minSize = 0;
            super.close();
            minSize = written;
        }
    }

    /** Adds the file's name to the message of a failure. */
    static IOException explain(String name, IOException e) {
        return e instanceof EntryRejectedException
                ? new IOException("Refused " + name + ": " + e.getMessage(), e)
                : new IOException(TarUnpacker.CANNOT_WRITE + name + ": " + reason(e), e);
    }

    /** Returns the reason of an exception without its paths, if it has a reason. */
    static String reason(Exception e) {
        String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
        return reason != null ? reason : e.toString();
    }
}
