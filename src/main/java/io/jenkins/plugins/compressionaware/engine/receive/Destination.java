package io.jenkins.plugins.compressionaware.engine.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** Stores the blocks of one transfer, and makes their content visible on {@link #commit}. Not thread-safe. */
interface Destination extends Closeable {
    /**
     * Reads and stores all blocks up to the end frame. Called again for the files whose deltas failed, which are then sent in full.
     *
     * @throws IOException if a block cannot be read or stored; {@link #commit} must not be called then
     */
    void receive(DecodePipeline blocks) throws IOException, InterruptedException;

    /** Returns what unpacks the blocks; null if they are stored packed. */
    @CheckForNull
    default TarUnpacker unpacker() {
        return null;
    }

    /** Makes everything received visible. Returns the entries that could not be created exactly as sent. */
    List<ExtractionWarning> commit() throws IOException, InterruptedException;

    /** Deletes everything that was not committed. */
    @Override
    void close() throws IOException;
}
