package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import io.jenkins.plugins.compressionaware.engine.tar.WorkerResources;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** The destination of one transfer's blocks. Used by one thread. */
interface Destination extends Closeable {
    /**
     * Takes all blocks up to the last.
     *
     * @throws IOException if they cannot be taken; nothing can be committed then
     */
    void receive(DecodePipeline blocks) throws IOException, InterruptedException;

    /** Files, links and folders in it; 0 if it does not look into the blocks. */
    int entries();

    /** Bytes of file contents in it so far; negative if it does not look into the blocks. Any thread may ask. */
    long contentBytes();

    /** How many files were written at a time because the disk was slow; 0 if it was not. */
    default int writers() {
        return 0;
    }

    /** Names of files that have to come again, not as recipes. */
    default Set<String> failedDeltas() throws IOException {
        return Set.of();
    }

    /** A landing for the {@link #failedDeltas} files in the same place; they become visible with what was taken here. */
    default Destination forRetry(WorkerResources helpers) throws IOException {
        throw new UnsupportedOperationException();
    }

    /**
     * Makes what was taken visible.
     *
     * @return what could not be made as it was sent
     */
    List<ExtractionWarning> commit() throws IOException, InterruptedException;

    /** Removes what was not committed. */
    @Override
    void close() throws IOException;
}
