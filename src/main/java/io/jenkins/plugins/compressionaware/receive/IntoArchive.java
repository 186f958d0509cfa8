package io.jenkins.plugins.compressionaware.receive;

import io.jenkins.plugins.compressionaware.staging.StagedTree;
import io.jenkins.plugins.compressionaware.tar.Helpers;
import io.jenkins.plugins.compressionaware.tar.LandingWarning;
import io.jenkins.plugins.compressionaware.tar.TarUnpacker;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** Unpacks into a folder beside an archive, which then moves into it at once. */
final class IntoArchive implements Landing {
    private final StagedTree staged;
    private final TarUnpacker unpacker;

    /** @param staged is closed by this */
    IntoArchive(StagedTree staged, Set<String> names, Helpers helpers) throws IOException {
        this.staged = staged;
        try {
            unpacker = new TarUnpacker(staged.folder(), names, helpers);
        } catch (Throwable e) { // a name that cannot be, or too many for the heap
            staged.close();
            throw e;
        }
    }

    @Override
    public void take(DecodeAhead blocks) throws IOException {
        unpacker.unpack(new BlockInputStream(blocks));
    }

    @Override
    public int entries() {
        return unpacker.entries();
    }

    @Override
    public long contentBytes() {
        return unpacker.contentBytes();
    }

    @Override
    public List<LandingWarning> commit() throws IOException, InterruptedException {
        return LandingWarning.all(unpacker.warnings(), staged.commit());
    }

    @Override
    public void close() {
        unpacker.close(staged::close);
    }
}
