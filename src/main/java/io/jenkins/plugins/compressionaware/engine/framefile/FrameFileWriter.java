package io.jenkins.plugins.compressionaware.engine.framefile;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.staging.PartialPath;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Writes frames unchanged to a temporary file, adds a footer, and renames the complete file. Ignores interrupts. Not thread-safe. */
@Restricted(NoExternalUse.class)
public final class FrameFileWriter implements Closeable {
    private static final int BUFFER = 128 * 1024;

    private final Path file;
    private final Path partial;
    private final int blockSize;
    private final long limit;
    private final OutputStream out;

    @CheckForNull
    private final StagingJournal.Entry entry;

    private final FrameTally frames = new FrameTally();

    /**
     * @param file      replaced by {@link #commit}; its directory must exist
     * @param journal   records the temporary file until it is committed or deleted
     * @param blockSize length of the largest block, bytes
     */
    public FrameFileWriter(Path file, StagingJournal journal, int blockSize) throws IOException {
        this(file, PartialPath.create(Objects.requireNonNull(file.getParent())), blockSize, Long.MAX_VALUE, journal);
    }

    /**
     * @param file      replaced by {@link #commit}; its directory must exist
     * @param partial   the temporary file, in the same directory; must not exist
     * @param blockSize length of the largest block, bytes
     * @param limit     maximum length of all frames, bytes; a frame beyond it is refused
     */
    public FrameFileWriter(Path file, Path partial, int blockSize, long limit) throws IOException {
        this(file, partial, blockSize, limit, null);
    }

    private FrameFileWriter(Path file, Path partial, int blockSize, long limit, @CheckForNull StagingJournal journal)
            throws IOException {
        this.file = file;
        this.partial = partial;
        this.blockSize = blockSize;
        this.limit = limit;
        entry = journal == null ? null : journal.open(partial);
        try {
            out = new BufferedOutputStream(Files.newOutputStream(partial, StandardOpenOption.CREATE_NEW), BUFFER);
        } catch (IOException | RuntimeException e) {
            closeEntry();
            throw e;
        }
    }

    private void closeEntry() {
        if (entry != null) {
            entry.close();
        }
    }

    /**
     * Appends a frame.
     *
     * @param frame  starts with the whole frame, including its header
     * @param length of the frame, bytes
     */
    public void append(FrameHeader header, byte[] frame, int length) throws IOException {
        frames.check(header);
        if (length > limit - frames.wireBytes()) {
            throw new IOException(file + " would exceed its limit of " + limit + " bytes");
        }
        try {
            out.write(frame, 0, length);
        } catch (IOException e) {
            throw unwritable(e);
        }
        frames.add(header, length);
    }

    private IOException unwritable(IOException e) {
        return new IOException(TarUnpacker.CANNOT_WRITE + file + ": " + e.getMessage(), e);
    }

    /** Returns the length of the frames so far, bytes. */
    public long wireBytes() {
        return frames.wireBytes();
    }

    /** Returns the length of the blocks so far, that is, of the tar, bytes. */
    public long rawBytes() {
        return frames.rawBytes();
    }

    /** Writes the footer and closes the file, which is then complete but still has its temporary name. */
    public void finish() throws IOException {
        finish(new byte[0], new byte[0]);
    }

    /**
     * Finishes a packed archive.
     *
     * @param index     the frame before the footer
     * @param seekTable the frame after the footer
     */
    public void finish(byte[] index, byte[] seekTable) throws IOException {
        byte[] footer = frames.footer(blockSize);
        try (out) {
            out.write(index);
            out.write(footer);
            out.write(seekTable);
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    /** Renames the file to its final name atomically. Must be called after {@link #finish}. */
    public void commit() throws IOException {
        commitTo(file);
    }

    /** Renames the file like {@link #commit}, but to another name on the same disk. */
    public void commitTo(Path name) throws IOException {
        PartialPath.publish(partial, name);
    }

    /** Deletes the temporary file unless it was committed. A failed deletion is only logged, because it does not affect the file. */
    @Override
    public void close() throws IOException {
        try {
            out.close();
        } finally {
            PartialPath.discard(partial);
            closeEntry();
        }
    }
}
