package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.engine.tar.TarSink;
import java.io.IOException;

/** Splits tar bytes into blocks. A large file shares no block with others, so that a jar and a log are compressed separately. Used by one thread. */
class BlockSplitter extends TarSink {
    private final BlockCompressor blocks;
    private final int blockSize;
    private byte[] block;
    private int filled;
    private boolean inLargeFile;
    private String entry;
    private String firstEntry;
    private long fillStart = System.nanoTime();

    BlockSplitter(BlockCompressor blocks, int blockSize) {
        this.blocks = blocks;
        this.blockSize = blockSize;
    }

    @Override
    public void startEntry(String name, long size) throws IOException {
        boolean large = size >= blockSize / 4;
        if (large || inLargeFile) {
            flush();
        }
        inLargeFile = large;
        entry = name;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int done = 0;
        while (done < length) {
            if (block == null) {
                block = blocks.newBlock();
                firstEntry = entry;
            }
            int n = Math.min(length - done, blockSize - filled);
            System.arraycopy(bytes, offset + done, block, filled, n);
            filled += n;
            done += n;
            if (filled == blockSize) {
                flush();
            }
        }
    }

    /** Finishes the current block. */
    @Override
    public void flush() throws IOException {
        if (filled == 0) {
            return;
        }
        try {
            blocks.submit(block, filled, firstEntry, System.nanoTime() - fillStart);
            fillStart = System.nanoTime();
        } catch (InterruptedException e) {
            throw Tasks.interrupted("Interrupted while archiving");
        }
        block = null;
        filled = 0;
    }

    @Override
    public void close() throws IOException {
        flush();
    }
}
