package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
import io.jenkins.plugins.compressionaware.engine.tar.WorkerResources;
import io.jenkins.plugins.compressionaware.engine.tar.Workspace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Unpacks blocks into a staging directory whose content {@link #commit} moves into place, or directly into a workspace. */
final class TreeDestination implements Destination {
    private final TarUnpacker unpacker;
    private final Tree tree;
    private final Runnable cleanup;

    interface Tree {
        List<ExtractionWarning> commit() throws IOException, InterruptedException;
    }

    /** @param cleanup runs once no thread writes a file, which may be later than {@link #close} if the disk hangs */
    TreeDestination(TarUnpacker unpacker, Tree tree, Runnable cleanup) {
        this.unpacker = unpacker;
        this.tree = tree;
        this.cleanup = cleanup;
    }

    static TreeDestination workspace(Workspace workspace, WorkerResources helpers) throws IOException {
        return new TreeDestination(new TarUnpacker(workspace, helpers), List::of, () -> {});
    }

    @Override
    public void receive(DecodePipeline blocks) throws IOException {
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
    public Set<String> failedDeltas() throws IOException {
        return unpacker.failedDeltas();
    }

    @Override
    public List<ExtractionWarning> commit() throws IOException, InterruptedException {
        List<ExtractionWarning> warnings = new ArrayList<>(unpacker.warnings());
        warnings.addAll(tree.commit());
        return warnings;
    }

    @Override
    public void close() {
        unpacker.close(cleanup);
    }
}
