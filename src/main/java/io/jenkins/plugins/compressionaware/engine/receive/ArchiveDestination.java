package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.packed.PackedArchive;
import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.engine.staging.StagedArchive;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Unpacks blocks into a staging directory, whose content {@link #commit} moves into the archive. */
record ArchiveDestination(TarUnpacker unpacker, StagedArchive staged) implements Destination {
    static Destination of(StagedArchive staged, Set<String> names, DiskHelpers helpers, EntryDecoder decoder)
            throws IOException {
        try {
            return new ArchiveDestination(new TarUnpacker(staged.folder(), names, helpers, decoder), staged);
        } catch (Throwable e) { // a name that is not allowed, or a full heap
            staged.close();
            throw e;
        }
    }

    @Override
    public void receive(DecodePipeline blocks) throws IOException {
        unpacker.unpack(new BlockInputStream(blocks));
    }

    @Override
    public List<ExtractionWarning> commit() throws IOException, InterruptedException {
        PackedArchive.refuseForged(staged.folder());
        List<ExtractionWarning> warnings = new ArrayList<>(unpacker.warnings());
        warnings.addAll(staged.commit());
        return warnings;
    }

    /** Deletes the staging directory once no thread writes a file, which may be later if the disk hangs. */
    @Override
    public void close() {
        unpacker.close(staged::close);
    }
}
