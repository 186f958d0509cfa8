package io.jenkins.plugins.compressionaware.engine.framefile;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.tar.SelectedFiles;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Set;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Frames that can be read by position. Thread-safe. Unlike with a {@code FileChannel}, an interrupt neither aborts a read nor waits for it. */
@Restricted(NoExternalUse.class)
public interface FrameFile extends Closeable {
    /** Opens a frame file. Throws an exception that names the file and the reason if the file is not complete. */
    static FrameFile open(Path file) throws IOException {
        RangeReader opened = StoredRecord.open(file);
        try {
            return new RegularFrameFile(opened, null);
        } catch (IOException e) {
            opened.close();
            throw new IOException("Cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    /** Returns some files of a frame file in a store; closing them closes it. Only an agent that reads the files from the store can unpack them. */
    static FrameFile of(RangeReader opened, SelectedFiles selected) throws IOException {
        return new RegularFrameFile(opened, selected);
    }

    /** Returns a name for messages. */
    String name();

    /** Returns the record of the object with the frames; null if they are on this disk. */
    @CheckForNull
    default StoredRecord stored() {
        return null;
    }

    /** Returns the files to unpack, and the frames and objects that have them. */
    default SelectedFiles selected() {
        return SelectedFiles.all(wireBytes());
    }

    /** Returns an object that equals the identity of another open file only if both are the same file. */
    default Object identity() {
        return this;
    }

    /** Returns the length of these frames and objects together, bytes. */
    long wireBytes();

    /** Returns the length of the blocks and objects together, bytes; without objects, at most that of the tar. */
    long rawBytes();

    /** Returns the length of the largest possible block, bytes. */
    int blockSize();

    /** Returns the libraries that decoding and verifying the frames requires. */
    Set<CodecLibrary> libraries();

    /** Returns the last failure to read frames, which is not sent to the other end; null if there was none. */
    @CheckForNull
    IOException failure();

    /** Reads {@code length} bytes of the frames, starting at {@code from}. */
    void read(long from, byte[] target, int offset, int length) throws IOException;

    /** Reads a sample at a position: up to the array's length, or less if that is far cheaper. Returns the number of bytes read, at least 1. */
    default int sample(long from, byte[] target) throws IOException {
        int length = (int) Math.min(target.length, wireBytes() - from);
        read(from, target, 0, length);
        return length;
    }

    /** Copies bytes of the frames to {@code out}, at most 128 KiB at a time. */
    default void write(long from, int length, OutputStream out) throws IOException {
        byte[] buffer = new byte[Math.min(length, 128 * 1024)];
        for (int done = 0; done < length; ) {
            int n = Math.min(buffer.length, length - done);
            read(from + done, buffer, 0, n);
            out.write(buffer, 0, n);
            done += n;
        }
    }
}
