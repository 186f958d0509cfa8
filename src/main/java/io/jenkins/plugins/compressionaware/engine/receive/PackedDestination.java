package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.packed.PackedWriter;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import java.io.IOException;
import java.util.List;

/** Writes frames to a packed archive as received, each after its block was decoded and verified, and checks the entries in the blocks. */
final class PackedDestination implements Destination {
    private final PackedWriter file;

    PackedDestination(PackedWriter file) {
        this.file = file;
    }

    @Override
    public void receive(DecodePipeline blocks) throws IOException {
        file.read(new BlockInputStream(blocks) {
            @Override
            void arrived(DecodePipeline.Block block) throws IOException {
                ReceivedFrame frame = block.frame();
                file.append(frame.header(), frame.bytes(), frame.length());
            }
        });
    }

    @Override
    public List<ExtractionWarning> commit() throws IOException, InterruptedException {
        file.commit();
        return List.of();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
