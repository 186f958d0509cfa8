package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.tar.Helpers;
import io.jenkins.plugins.compressionaware.engine.tar.LandingWarning;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
import io.jenkins.plugins.compressionaware.engine.tar.Workspace;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** Unpacks into a folder beside an archive and then moves everything into place, or unpacks directly into a workspace. */
final class IntoTree implements Landing {
    private final TarUnpacker unpacker;
    private final Tree tree;
    private final Runnable last;

    interface Tree {
        List<LandingWarning> commit() throws IOException, InterruptedException;
    }

    /** @param last runs once no file is being written any more: the disk may hang */
    IntoTree(TarUnpacker unpacker, Tree tree, Runnable last) {
        this.unpacker = unpacker;
        this.tree = tree;
        this.last = last;
    }

    static IntoTree workspace(Workspace workspace, Helpers helpers) throws IOException {
        return new IntoTree(new TarUnpacker(workspace, helpers), List::of, () -> {});
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
        return new IntoTree(unpacker.again(unfit(), helpers), tree, () -> {});
    }

    @Override
    public List<LandingWarning> commit() throws IOException, InterruptedException {
        return LandingWarning.all(unpacker.warnings(), tree.commit());
    }

    @Override
    public void close() {
        unpacker.close(last);
    }
}
