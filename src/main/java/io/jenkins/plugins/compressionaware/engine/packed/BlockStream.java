package io.jenkins.plugins.compressionaware.engine.packed;

import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.framefile.RangeReader;
import io.jenkins.plugins.compressionaware.engine.tar.ChunkedInputStream;
import java.io.IOException;

/** The tar in a packed archive, from any byte on. Reads only the blocks that are needed. Not thread-safe. */
final class BlockStream extends ChunkedInputStream {
    private final RangeReader file;
    private final PackedIndex index;
    private final Blocks blocks;
    private long position;
    private PackedIndex.Place place;
    private byte[] block;

    /** Reads and verifies blocks. */
    interface Blocks {
        byte[] block(RangeReader file, PackedIndex.Place place) throws IOException;
    }

    /**
     * @param file     closed with this stream
     * @param position of the first byte in the tar
     */
    BlockStream(RangeReader file, PackedIndex index, long position, Blocks blocks) {
        this.file = file;
        this.index = index;
        this.position = position;
        this.blocks = blocks;
    }

    static byte[] decode(RangeReader file, PackedIndex.Place place) throws IOException {
        byte[] frame = file.read(place.wireStart(), place.wireLength());
        byte[] block = PageCodec.decode(frame, place.number(), FrameCodec.MAX_BLOCK);
        PageReader.check(block.length == place.rawLength());
        return block;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (position == index.rawBytes) {
            return -1;
        }
        if (place == null || position < place.rawStart() || position >= place.rawStart() + place.rawLength()) {
            block = null; // not two at a time
            place = index.place(position);
            block = blocks.block(file, place);
        }
        int from = (int) (position - place.rawStart());
        int n = Math.min(length, block.length - from);
        System.arraycopy(block, from, target, offset, n);
        position += n;
        return n;
    }

    @Override
    public long skip(long length) {
        long n = Math.max(0, Math.min(length, index.rawBytes - position));
        position += n;
        return n;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
