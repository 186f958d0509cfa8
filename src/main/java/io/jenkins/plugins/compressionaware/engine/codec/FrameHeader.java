package io.jenkins.plugins.compressionaware.engine.codec;

import java.nio.ByteBuffer;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * This plugin's header of a frame.
 *
 * @param codec         codec of the body
 * @param sequence      number of the block, from 0; for the end frame, the number of blocks before it
 * @param rawLength     bytes of the block; 0 for the end frame
 * @param bodyLength    bytes of the body, which follows this header
 * @param checksum      type of {@code blockChecksum}
 * @param blockChecksum checksum of the raw bytes
 */
@Restricted(NoExternalUse.class)
public record FrameHeader(
        Codec codec, long sequence, int rawLength, int bodyLength, Checksum checksum, long blockChecksum) {
    /** Encoded length in bytes. */
    static final int LENGTH = 32;

    /** Distinguishes the stream of another plugin version from a damaged one. Both ends normally run the same version. */
    private static final byte VERSION = 1;

    /** Length without the header's own checksum, which is verified before any field except the version is used. */
    private static final int FIELDS = LENGTH - 4;

    /** Returns whether the frame ends the stream. No other frame has an empty block. */
    public boolean isEndFrame() {
        return rawLength == 0;
    }

    /** Returns the header of the same block in another place. */
    public FrameHeader withSequence(long other) {
        return new FrameHeader(codec, other, rawLength, bodyLength, checksum, blockChecksum);
    }

    /** Throws an exception if a length exceeds the limits of a receiver, which must be checked before memory is allocated for the frame. */
    public void checkLimits(int maxBlock) throws CorruptFrameException {
        if (rawLength < 0 || rawLength > maxBlock) {
            throw new CorruptFrameException("a block of " + rawLength + " bytes, more than the agreed " + maxBlock);
        }
        if (bodyLength <= 0 || bodyLength > FrameCodec.maxBodyLength(maxBlock)) {
            throw new CorruptFrameException("a frame of " + bodyLength + " bytes for a block of " + maxBlock);
        }
    }

    private static int ownChecksum(ByteBuffer header, int start) {
        return (int) Crc32c.of(header.array(), header.arrayOffset() + start, FIELDS);
    }

    /** Writes {@link #LENGTH} bytes to a little-endian buffer that has an array. */
    void write(ByteBuffer out) {
        int start = out.position();
        out.put(VERSION).put(codec.id()).put(checksum.id()).put((byte) 0);
        out.putLong(sequence).putInt(rawLength).putInt(bodyLength).putLong(blockChecksum);
        out.putInt(ownChecksum(out, start));
    }

    /** Reads and validates a header. */
    static FrameHeader read(ByteBuffer in, FrameEnvelope envelope) throws CorruptFrameException {
        int start = in.position();
        byte version = in.get();
        if (version != VERSION) {
            throw new CorruptFrameException("frame format version " + version + " instead of " + VERSION);
        }
        if (in.getInt(start + FIELDS) != ownChecksum(in, start)) {
            throw new CorruptFrameException("frame header is damaged");
        }
        Codec codec = Codec.ofId(in.get());
        Checksum checksum = Checksum.ofId(in.get());
        byte reserved = in.get();
        FrameHeader header = new FrameHeader(codec, in.getLong(), in.getInt(), in.getInt(), checksum, in.getLong());
        if (codec.envelope() != envelope || reserved != 0 || header.sequence < 0) {
            throw new CorruptFrameException("frame header makes no sense");
        }
        return header;
    }
}
