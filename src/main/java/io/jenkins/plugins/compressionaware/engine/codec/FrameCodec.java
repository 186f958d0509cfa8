package io.jenkins.plugins.compressionaware.engine.codec;

import java.util.Arrays;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Assembles whole frames from header and body, and takes them apart. */
@Restricted(NoExternalUse.class)
public final class FrameCodec {
    /** Largest block that either end accepts, in bytes: the maximum of the LZ4 frame format. */
    public static final int MAX_BLOCK = 4 << 20;

    /**
     * Bytes of a block unless another size was chosen: zstd 3 comes within 5 % of its ratio on whole files of source text, and an array of this size is not
     * yet a humongous object in a small G1 heap.
     */
    public static final int DEFAULT_BLOCK = 256 * 1024;

    private static final byte[] NOTHING = new byte[0];

    private FrameCodec() {}

    /** Bytes that {@link #encode} may need for a block of {@code rawLength} bytes. */
    public static int maxFrameLength(Codec codec, BlockEncoder encoder, int rawLength) {
        return codec.envelope().prefixLength() + encoder.maxEncodedLength(rawLength);
    }

    /**
     * Writes the frame of one block to the start of {@code frame}.
     *
     * @return length of the frame in bytes
     */
    public static int encode(
            Codec codec,
            BlockEncoder encoder,
            Checksum checksum,
            long sequence,
            byte[] raw,
            int rawLength,
            byte[] frame) {
        return write(codec, encoder, checksum, false, sequence, raw, rawLength, frame);
    }

    /** The frame that ends a stream of {@code blocks} blocks. */
    public static byte[] endFrame(Codec codec, BlockEncoder encoder, Checksum checksum, long blocks) {
        byte[] frame = new byte[maxFrameLength(codec, encoder, 0)];
        int length = write(codec, encoder, checksum, true, blocks, NOTHING, 0, frame);
        return Arrays.copyOf(frame, length);
    }

    /**
     * Turns an uncompressed block into its frame, in place.
     *
     * @param frame exactly as long as {@link #maxFrameLength} says; its last {@code rawLength} bytes are the block
     */
    public static void encodeUncompressed(Checksum checksum, long sequence, byte[] frame, int rawLength) {
        FrameEnvelope envelope = Codec.NONE.envelope();
        int rawOffset = frame.length - rawLength;
        long digest = checksum.compute(frame, rawOffset, rawLength);
        int bodyLength = UncompressedCodec.encode(frame, rawOffset, rawLength, frame, envelope.prefixLength());
        envelope.write(new FrameHeader(Codec.NONE, false, sequence, rawLength, bodyLength, checksum, digest), frame);
    }

    /** Copies the block out of a frame that {@link #encodeUncompressed} has made. */
    public static void decodeUncompressed(byte[] frame, byte[] raw, int rawLength) throws CorruptFrameException {
        int prefix = Codec.NONE.envelope().prefixLength();
        try (UncompressedCodec codec = new UncompressedCodec()) {
            codec.decode(frame, prefix, frame.length - prefix, raw, rawLength);
        }
    }

    private static int write(
            Codec codec,
            BlockEncoder encoder,
            Checksum checksum,
            boolean last,
            long sequence,
            byte[] raw,
            int rawLength,
            byte[] frame) {
        int prefix = codec.envelope().prefixLength();
        int bodyLength = encoder.encode(raw, rawLength, frame, prefix);
        long digest = checksum.compute(raw, 0, rawLength);
        codec.envelope().write(new FrameHeader(codec, last, sequence, rawLength, bodyLength, checksum, digest), frame);
        return prefix + bodyLength;
    }

    /**
     * Decodes a frame's body and verifies the block's checksum.
     *
     * @param frame the whole frame
     * @param raw   receives {@link FrameHeader#rawLength} bytes
     */
    public static void decode(FrameHeader header, BlockDecoder decoder, byte[] frame, byte[] raw)
            throws CorruptFrameException {
        decoder.decode(frame, header.codec().envelope().prefixLength(), header.bodyLength(), raw, header.rawLength());
        header.verify(raw);
    }
}
