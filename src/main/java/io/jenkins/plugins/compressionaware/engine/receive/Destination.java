package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** Stores the blocks of one transfer, and makes their content visible on {@link #commit}. Not thread-safe. */
interface Destination extends Closeable {
    /**
     * Reads and stores all blocks up to the end frame. Called again for the {@link #failedDeltas} files, which are then sent in full.
     *
     * @throws IOException if a block cannot be read or stored; {@link #commit} must not be called then
     */
    void receive(DecodePipeline blocks) throws IOException, InterruptedException;

    /** Returns the number of files, links and directories received; 0 if blocks are not unpacked. */
    default int entries() {
        return 0;
    }

    /** Returns the bytes of file contents received so far; negative if blocks are not unpacked. Thread-safe. */
    default long contentBytes() {
        return -1;
    }

    /** Returns how many files were written in parallel because the disk was slow; 0 if it was not slow. */
    default int writers() {
        return 0;
    }

    /** Returns the names of files that must be sent in full because their deltas failed. */
    default Set<String> failedDeltas() throws IOException {
        return Set.of();
    }

    /** Makes everything received visible. Returns the entries that could not be created exactly as sent. */
    List<ExtractionWarning> commit() throws IOException, InterruptedException;

    /** Deletes everything that was not committed. */
    @Override
    void close() throws IOException;
}
