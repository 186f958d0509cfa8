package io.jenkins.plugins.compressionaware.engine.packed;

import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.framefile.RangeReader;
import io.jenkins.plugins.compressionaware.engine.tar.TarHeader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Copies ranges of the tar in a packed archive into a frame file. Only frames with other bytes are compressed anew. Not thread-safe. */
final class PackedSubset {
    private final RangeReader file;
    private final PackedIndex index;
    private final BlockStream.Blocks blocks;
    private final FrameFileWriter target;
    private final int blockSize;
    private final ByteArrayOutputStream parts = new ByteArrayOutputStream();
    private long frames;

    /** @param blockSize length of the largest block, bytes */
    PackedSubset(
            RangeReader file, PackedIndex index, BlockStream.Blocks blocks, FrameFileWriter target, int blockSize) {
        this.file = file;
        this.index = index;
        this.blocks = blocks;
        this.target = target;
        this.blockSize = blockSize;
    }

    void copy(long from, long to) throws IOException {
        for (long at = from; at < to; ) {
            PackedIndex.Place place = index.place(at);
            int offset = (int) (at - place.rawStart());
            int length = (int) Math.min(to - at, place.rawLength() - offset);
            boolean whole = length == place.rawLength();
            if (whole || parts.size() + length > blockSize) {
                flush();
            }
            if (whole) {
                append(file.read(place.wireStart(), place.wireLength()));
            } else {
                parts.write(blocks.block(file, place), offset, length);
            }
            at += length;
        }
    }

    private void flush() throws IOException {
        if (parts.size() > 0) {
            append(PageCodec.encode(parts.toByteArray(), 0));
            parts.reset();
        }
    }

    private void append(byte[] frame) throws IOException {
        FrameHeader header = PageCodec.header(frame).withSequence(frames++);
        header.codec().envelope().write(header, frame);
        target.append(header, frame, frame.length);
    }

    /** Ends the tar, and finishes the file. */
    void finish() throws IOException {
        flush();
        append(PageCodec.encode(new byte[TarHeader.TRAILER_LENGTH], 0));
        append(PageCodec.encode(new byte[0], 0)); // the end frame
        target.finish();
    }
}
