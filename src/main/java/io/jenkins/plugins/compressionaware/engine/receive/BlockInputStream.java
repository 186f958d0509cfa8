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

    /** Returns false after the end frame. */
    private boolean fill() throws IOException {
        while (current == null || position == current.length()) {
            if (current != null && current.last()) {
                return false;
            }
            nextBlock();
        }
        return true;
    }

    @Override
    public long skip(long length) throws IOException {
        int n = length > 0 && fill() ? (int) Math.min(length, current.length() - position) : 0;
        position += n;
        return n;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (!fill()) {
            return -1;
        }
        int n = Math.min(length, current.length() - position);
        System.arraycopy(current.raw(), position, target, offset, n);
        position += n;
        return n;
    }

    /** Called for each block before its bytes are read. */
    void arrived(DecodePipeline.Block block) throws IOException {}

    private void nextBlock() throws IOException {
        try {
            current = null;
            current = blocks.next();
            position = 0;
            arrived(current);
        } catch (InterruptedException e) {
            throw Tasks.interrupted("Interrupted while receiving");
        }
    }
}
