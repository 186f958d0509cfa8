package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.engine.tar.ChunkedInputStream;
import java.io.IOException;

/** The tar stream: the bytes of verified blocks, up to the end frame. Not thread-safe. */
class BlockInputStream extends ChunkedInputStream {
    final DecodePipeline blocks;
    private DecodePipeline.Block current;
    private int position;

    BlockInputStream(DecodePipeline blocks) {
        this.blocks = blocks;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        while (current == null || position == current.length()) {
            if (current != null && current.last()) {
                return -1;
            }
            nextBlock();
        }
        int n = Math.min(length, current.length() - position);
        System.arraycopy(current.raw(), position, target, offset, n);
        position += n;
        return n;
    }

    private void nextBlock() throws IOException {
        try {
            current = null;
            current = blocks.next();
            position = 0;
        } catch (InterruptedException e) {
            throw Tasks.interrupted("Interrupted while receiving");
        }
    }
}
