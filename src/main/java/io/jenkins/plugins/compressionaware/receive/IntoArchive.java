package io.jenkins.plugins.compressionaware.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.delta.EarlierArchive;
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
    private final Runnable last;
    private final TarUnpacker unpacker;

    /**
     * @param staged  is closed by this
     * @param earlier what recipes may use; null if none is accepted
     */
    IntoArchive(StagedTree staged, Set<String> names, Helpers helpers, @CheckForNull EarlierArchive earlier)
            throws IOException {
        this(staged, unpacker(staged, names, helpers, earlier), staged::close);
    }

    /** @param last what to do in the end */
    private IntoArchive(StagedTree staged, TarUnpacker unpacker, Runnable last) {
        this.staged = staged;
        this.unpacker = unpacker;
        this.last = last;
    }

    private static TarUnpacker unpacker(
            StagedTree staged, Set<String> names, Helpers helpers, @CheckForNull EarlierArchive earlier)
            throws IOException {
        try {
            return new TarUnpacker(staged.folder(), names, helpers, earlier);
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
    public int writers() {
        return unpacker.writers();
    }

    @Override
    public Set<String> unfit() throws IOException {
        return unpacker.unfit();
    }

    @Override
    public Landing again(Helpers helpers) throws IOException {
        return new IntoArchive(staged, unpacker.again(unfit(), helpers), () -> {});
    }

    @Override
    public List<LandingWarning> commit() throws IOException, InterruptedException {
        return LandingWarning.all(unpacker.warnings(), staged.commit());
    }

    @Override
    public void close() {
        unpacker.close(last);
    }
}
