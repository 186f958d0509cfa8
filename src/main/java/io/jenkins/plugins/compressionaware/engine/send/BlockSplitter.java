package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.tar.TarSink;
import io.jenkins.plugins.compressionaware.engine.flow.Tasks;
import java.io.IOException;

/** Cuts tar bytes into blocks. A large file has blocks of its own, so that a jar never shares one with a log. Used by one thread. */
final class BlockSplitter extends TarSink {
    private final BlockCompressor blocks;
    private final int blockSize;
    private byte[] block;
    private int filled;
    private boolean inLargeFile;
    private String entry;
    private String firstEntry;
    private long free = System.nanoTime();

    BlockSplitter(BlockCompressor blocks, int blockSize) {
        this.blocks = blocks;
        this.blockSize = blockSize;
    }

    @Override
    public void startEntry(String name, long size) throws IOException {
        boolean large = size >= blockSize / 4;
        if (large || inLargeFile) {
            finishBlock();
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
                finishBlock();
            }
        }
    }

    @Override
    public void flush() throws IOException {
        finishBlock();
    }

    private void finishBlock() throws IOException {
        if (filled == 0) {
            return;
        }
        try {
            blocks.submit(block, filled, firstEntry, System.nanoTime() - free);
            free = System.nanoTime();
        } catch (InterruptedException e) {
            throw Tasks.interrupted("Interrupted while archiving");
        }
        block = null;
        filled = 0;
    }

    @Override
    public void close() throws IOException {
        finishBlock();
    }
}
