package io.jenkins.plugins.compressionaware.engine.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Where a frame's header travels, such that the codec's ordinary tool skips it. */
@Restricted(NoExternalUse.class)
public enum FrameEnvelope {
    /**
     * A skippable frame in front of the body. zstd (RFC 8878, 3.1.2) and LZ4 share the format: one of sixteen magic numbers, of which 0x184D2A5C is ours, and
     * the length of the content.
     */
    SKIPPABLE_FRAME(0x5C, 0x2A, 0x4D, 0x18, FrameHeader.LENGTH, 0, 0, 0),

    /**
     * The extra field of a gzip member's own header (RFC 1952, 2.3.1.1), as BGZF does: ID1, ID2, deflate, FEXTRA, no time stamp, XFL 0, OS 255; the length
     * of the extra field, the letters C and A, the length of their content.
     */
    GZIP_EXTRA_FIELD(0x1F, 0x8B, 8, 4, 0, 0, 0, 0, 0, 0xFF, 4 + FrameHeader.LENGTH, 0, 'C', 'A', FrameHeader.LENGTH, 0);

    private final byte[] preamble;

    FrameEnvelope(int... preamble) {
        this.preamble = new byte[preamble.length];
        for (int i = 0; i < preamble.length; i++) {
            this.preamble[i] = (byte) preamble[i];
        }
    }

    /** Bytes in front of the body. */
    public int prefixLength() {
        return preamble.length + FrameHeader.LENGTH;
    }

    /** The envelope that starts with this byte. If neither does, {@link #read} of the one returned will fail. */
    public static FrameEnvelope forFirstByte(byte first) {
        return first == GZIP_EXTRA_FIELD.preamble[0] ? GZIP_EXTRA_FIELD : SKIPPABLE_FRAME;
    }

    /** Writes preamble and header to the start of a frame. */
    public void write(FrameHeader header, byte[] frame) {
        header.write(ByteBuffer.wrap(frame, 0, prefixLength())
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(preamble));
    }

    /** Reads what {@link #write} wrote. */
    public FrameHeader read(byte[] prefix) throws CorruptFrameException {
        if (!Arrays.equals(prefix, 0, preamble.length, preamble, 0, preamble.length)) {
            throw new CorruptFrameException("not the start of a frame");
        }
        ByteBuffer in =
                ByteBuffer.wrap(prefix, preamble.length, FrameHeader.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        return FrameHeader.read(in, this);
    }
}
