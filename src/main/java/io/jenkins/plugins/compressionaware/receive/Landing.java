package io.jenkins.plugins.compressionaware.receive;

import io.jenkins.plugins.compressionaware.tar.Helpers;
import io.jenkins.plugins.compressionaware.tar.LandingWarning;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** Where the blocks of one transfer end up. Used by one thread. */
interface Landing extends Closeable {
    /**
     * Takes all blocks up to the last.
     *
     * @throws IOException if they cannot be taken; nothing can be committed then
     */
    void take(DecodeAhead blocks) throws IOException, InterruptedException;

    /** Files, links and folders in it; 0 if it does not look into the blocks. */
    int entries();

    /** Bytes of file contents in it so far; negative if it does not look into the blocks. Any thread may ask. */
    long contentBytes();

    /** How many files were written at a time, where the disk took long for each; 0 where it has not. */
    default int writers() {
        return 0;
    }

    /** Files that have to come again, as they are. */
    default Set<String> unfit() throws IOException {
        return Set.of();
    }

    /** For those: into the same place, to become visible together with what was taken here. */
    default Landing again(Helpers helpers) throws IOException {
        throw new UnsupportedOperationException();
    }

    /**
     * Makes what was taken visible.
     *
     * @return what landed otherwise than it was sent
     */
    List<LandingWarning> commit() throws IOException, InterruptedException;

    /** Removes what was not committed. */
    @Override
    void close() throws IOException;
}
