package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.codec.BlockEncoder;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.tar.SeekableTar;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The blocks into which {@link BlockSplitter} would split a tar, and the positions of their uncompressed frames in a frame file. */
final class TarBlocks {
    /**
     * @param entry    number of the tar entry in which the block begins
     * @param offset   offset of its first byte in that entry
     * @param position position of its frame, wire bytes
     */
    record Block(int entry, long offset, int length, long position) {}

    private final SeekableTar tar;
    private final int blockSize;
    private final List<Block> blocks = new ArrayList<>();
    private boolean inLargeFile;
    private int entry;
    private long offset;
    private int filled;
    private long position;
    private long rawBytes;

    TarBlocks(SeekableTar tar, int blockSize) {
        this.tar = tar;
        this.blockSize = blockSize;
        for (int i = 0; i < tar.entries(); i++) {
            add(i);
        }
        cut();
    }

    private void add(int number) {
        boolean large = tar.size(number) >= blockSize / 4;
        if ((large || inLargeFile) && number < tar.entries() - 1) {
            cut();
        }
        inLargeFile = large;
        long length = tar.length(number);
        for (long done = 0; done < length; ) {
            if (filled == 0) {
                entry = number;
                offset = done;
            }
            int n = (int) Math.min(length - done, blockSize - filled);
            filled += n;
            done += n;
            if (filled == blockSize) {
                cut();
            }
        }
        rawBytes += length;
    }

    private void cut() {
        if (filled > 0) {
            blocks.add(new Block(entry, offset, filled, position));
            position += frameLength(filled);
            filled = 0;
        }
    }

    int size() {
        return blocks.size();
    }

    Block get(int number) {
        return blocks.get(number);
    }

    /** Returns the length of all blocks, bytes. */
    long rawBytes() {
        return rawBytes;
    }

    /** Returns the length of all frames without the end frame, bytes. */
    long framesEnd() {
        return position;
    }

    /** Returns the number of the block whose frame has a position. */
    int at(long position) {
        int found = Collections.binarySearch(
                blocks, new Block(0, 0, 0, position), (a, b) -> Long.compare(a.position, b.position));
        return found >= 0 ? found : -found - 2;
    }

    static int frameLength(int blockLength) {
        try (BlockEncoder encoder = Codec.NONE.newEncoder(0)) {
            return FrameCodec.maxFrameLength(Codec.NONE, encoder, blockLength);
        }
    }
}
