package io.jenkins.plugins.compressionaware.engine.codec;

import java.util.Arrays;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Encodes blocks as complete frames, and decodes them. */
@Restricted(NoExternalUse.class)
public final class FrameCodec {
    /** Maximum length of a block in bytes. */
    public static final int MAX_BLOCK = 4 << 20;

    /**
     * Default length of a block in bytes. Here zstd 3 is within 5 % of its ratio for whole files of source text, and an array is not yet a
     * humongous object in a small G1 heap.
     */
    public static final int DEFAULT_BLOCK = 256 * 1024;

    private static final byte[] NOTHING = new byte[0];

    private FrameCodec() {}

    /** Returns the length of the longest body that a receiver accepts, bytes. No codec expands a block by more. */
    static int maxBodyLength(int maxBlock) {
        return maxBlock + maxBlock / 8 + 1024;
    }

    /** Returns the length of the longest frame that a receiver accepts, bytes. */
    public static int maxFrameLength(int maxBlock) {
        return maxBodyLength(maxBlock) + FrameEnvelope.GZIP_EXTRA_FIELD.prefixLength();
    }

    /** Returns the maximum length in bytes of the frame of a block of {@code rawLength} bytes. */
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
        int prefix = codec.envelope().prefixLength();
        int bodyLength = encoder.encode(raw, rawLength, frame, prefix);
        long value = checksum.of(raw, 0, rawLength);
        codec.envelope().write(new FrameHeader(codec, sequence, rawLength, bodyLength, checksum, value), frame);
        return prefix + bodyLength;
    }

    /** Returns the end frame of a stream of {@code blocks} blocks. */
    public static byte[] endFrame(Codec codec, BlockEncoder encoder, Checksum checksum, long blocks) {
        byte[] frame = new byte[maxFrameLength(codec, encoder, 0)];
        return Arrays.copyOf(frame, encode(codec, encoder, checksum, blocks, NOTHING, 0, frame));
    }

    /**
     * Turns the uncompressed block at the end of {@code frame} into a frame, in place.
     *
     * @param frame array of {@link #maxFrameLength} bytes, of which the last {@code rawLength} are the block
     */
    public static void encodeUncompressed(Checksum checksum, long sequence, byte[] frame, int rawLength) {
        FrameEnvelope envelope = Codec.NONE.envelope();
        int rawOffset = frame.length - rawLength;
        long value = checksum.of(frame, rawOffset, rawLength);
        int bodyLength = UncompressedCodec.encode(frame, rawOffset, rawLength, frame, envelope.prefixLength());
        envelope.write(new FrameHeader(Codec.NONE, sequence, rawLength, bodyLength, checksum, value), frame);
    }

    /** Copies the block out of a frame made by {@link #encodeUncompressed}. */
    public static void decodeUncompressed(byte[] frame, byte[] raw, int rawLength) throws CorruptFrameException {
        int prefix = Codec.NONE.envelope().prefixLength();
        new UncompressedCodec().decode(frame, prefix, frame.length - prefix, raw, rawLength);
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
        if (header.checksum().of(raw, 0, header.rawLength()) != header.blockChecksum()) {
            throw new CorruptFrameException("block " + header.sequence() + " was damaged (wrong checksum)");
        }
    }
}
