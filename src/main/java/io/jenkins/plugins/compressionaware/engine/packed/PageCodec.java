package io.jenkins.plugins.compressionaware.engine.packed;

import io.jenkins.plugins.compressionaware.engine.codec.BlockDecoder;
import io.jenkins.plugins.compressionaware.engine.codec.BlockEncoder;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameEnvelope;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import java.util.Arrays;

/** Encodes the pages of an index as frames, and decodes any frame that is in memory. */
final class PageCodec {
    private PageCodec() {}

    static byte[] encode(byte[] page, int number) {
        Codec codec = CodecLibrary.ZSTD.problem() == null ? Codec.ZSTD : Codec.GZIP;
        try (BlockEncoder encoder = codec.newEncoder(codec.defaultLevel())) {
            byte[] frame = new byte[FrameCodec.maxFrameLength(codec, encoder, page.length)];
            int length = FrameCodec.encode(codec, encoder, Checksum.CRC32C, number, page, page.length, frame);
            return Arrays.copyOf(frame, length);
        }
    }

    /** Reads the header of a frame from its first bytes. */
    static FrameHeader header(byte[] frame) throws CorruptFrameException {
        FrameEnvelope envelope = FrameEnvelope.forFirstByte(frame.length == 0 ? 0 : frame[0]);
        if (frame.length < envelope.prefixLength()) {
            throw new CorruptFrameException("the frame is cut short");
        }
        return envelope.read(frame);
    }

    /** Returns whether bytes begin with a header of this plugin. */
    static boolean isFrame(byte[] bytes) {
        try {
            return header(bytes).sequence() == 0;
        } catch (CorruptFrameException e) {
            return false;
        }
    }

    /**
     * Decodes and verifies a whole frame.
     *
     * @param number expected number of the block
     */
    static byte[] decode(byte[] frame, long number, int maxBlock) throws CorruptFrameException {
        FrameHeader header = header(frame);
        header.checkLimits(maxBlock);
        int prefix = header.codec().envelope().prefixLength();
        if (header.sequence() != number || prefix + header.bodyLength() != frame.length) {
            throw new CorruptFrameException("another frame is in the place of frame " + number);
        }
        byte[] block = new byte[header.rawLength()];
        try (BlockDecoder decoder = header.codec().newDecoder()) {
            FrameCodec.decode(header, decoder, frame, block);
        }
        return block;
    }
}
