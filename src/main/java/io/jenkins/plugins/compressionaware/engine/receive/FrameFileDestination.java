package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import java.io.IOException;
import java.util.List;

/** Writes frames to a frame file as received, each after its block was decoded and verified. The blocks are dropped. */
final class FrameFileDestination implements Destination {
    private final FrameFileWriter file;

    FrameFileDestination(FrameFileWriter file) {
        this.file = file;
    }

    @Override
    public void receive(DecodePipeline blocks) throws IOException, InterruptedException {
        DecodePipeline.Block block;
        do {
            block = blocks.next();
            file.append(
                    block.frame().header(), block.frame().bytes(), block.frame().length());
        } while (!block.last());
        file.finish();
    }

    @Override
    public List<ExtractionWarning> commit() throws IOException {
        file.commit();
        return List.of();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
