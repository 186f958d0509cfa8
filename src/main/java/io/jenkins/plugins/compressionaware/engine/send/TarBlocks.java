package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.codec.BlockEncoder;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.tar.SeekableTar;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.ToIntFunction;

/** The blocks into which {@link BlockSplitter} would split a tar, and the positions of their uncompressed frames in a frame file. */
final class TarBlocks {
    /**
     * @param entry    number of the tar entry in which the block begins
     * @param offset   offset of its first byte in that entry
     * @param position position of its frame, wire bytes
     */
    record Block(int entry, long offset, int length, long position) {}

    /** One or more full blocks of an entry, or another block. One object for all blocks of a huge file, which could otherwise fill the heap. */
    private record Run(int first, Block block) {}

    private final SeekableTar tar;
    private final int blockSize;
    private final int fullFrame;
    private final List<Run> runs = new ArrayList<>();
    private int size;
    private boolean inLargeFile;
    private int entry;
    private long offset;
    private int filled;
    private long position;
    private long rawBytes;

    TarBlocks(SeekableTar tar, int blockSize) {
        this.tar = tar;
        this.blockSize = blockSize;
        fullFrame = frameLength(blockSize);
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
            long full = filled == 0 ? (length - done) / blockSize : 0;
            if (full > 0) {
                append(blockSize, full);
                done += full * blockSize;
                continue;
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
            append(filled, 1);
            filled = 0;
        }
    }

    private void append(int length, long count) {
        runs.add(new Run(size, new Block(entry, offset, length, position)));
        size = Math.toIntExact(size + count);
        position += count * frameLength(length);
    }

    int size() {
        return size;
    }

    Block get(int number) {
        Run run = runs.get(find(each -> Integer.compare(each.first, number)));
        long before = number - run.first;
        Block start = run.block;
        return new Block(
                start.entry, start.offset + before * blockSize, start.length, start.position + before * fullFrame);
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
        Run run = runs.get(find(each -> Long.compare(each.block.position, position)));
        return run.first + (int) ((position - run.block.position) / fullFrame);
    }

    /** Returns the index of the last run that is not after the sought one. */
    private int find(ToIntFunction<Run> comparison) {
        int found = Collections.binarySearch(runs, null, (run, sought) -> comparison.applyAsInt(run));
        return found >= 0 ? found : -found - 2;
    }

    static int frameLength(int blockLength) {
        try (BlockEncoder encoder = Codec.NONE.newEncoder(0)) {
            return FrameCodec.maxFrameLength(Codec.NONE, encoder, blockLength);
        }
    }
}
