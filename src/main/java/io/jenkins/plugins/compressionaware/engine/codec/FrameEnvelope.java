package io.jenkins.plugins.compressionaware.engine.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Wraps a frame's header so that the codec's ordinary tool skips it. */
@Restricted(NoExternalUse.class)
public enum FrameEnvelope {
    /**
     * A skippable frame in front of the body, a format that zstd (RFC 8878, 3.1.2) and LZ4 share. It starts with one of sixteen magic
     * numbers, here 0x184D2A5C, and the length of its content.
     */
    SKIPPABLE_FRAME(0x5C, 0x2A, 0x4D, 0x18, FrameHeader.LENGTH, 0, 0, 0),

    /**
     * The extra field in the header of a gzip member (RFC 1952, 2.3.1.1), as in BGZF. Bytes: ID1, ID2, deflate, FEXTRA, no time stamp, XFL
     * 0, OS 255; length of the extra field, the letters C and A, length of their content.
     */
    GZIP_EXTRA_FIELD(0x1F, 0x8B, 8, 4, 0, 0, 0, 0, 0, 0xFF, 4 + FrameHeader.LENGTH, 0, 'C', 'A', FrameHeader.LENGTH, 0);

    private final byte[] preamble;

    FrameEnvelope(int... preamble) {
        this.preamble = new byte[preamble.length];
        for (int i = 0; i < preamble.length; i++) {
            this.preamble[i] = (byte) preamble[i];
        }
    }

    /** Returns the number of bytes in front of the body. */
    public int prefixLength() {
        return preamble.length + FrameHeader.LENGTH;
    }

    /** Returns the envelope that starts with this byte. For any other byte, {@link #read} of the returned envelope fails. */
    public static FrameEnvelope forFirstByte(byte first) {
        return first == GZIP_EXTRA_FIELD.preamble[0] ? GZIP_EXTRA_FIELD : SKIPPABLE_FRAME;
    }

    /** Writes preamble and header to the start of a frame. */
    public void write(FrameHeader header, byte[] frame) {
        header.write(ByteBuffer.wrap(frame, 0, prefixLength())
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(preamble));
    }

    public FrameHeader read(byte[] prefix) throws CorruptFrameException {
        if (!Arrays.equals(prefix, 0, preamble.length, preamble, 0, preamble.length)) {
            throw new CorruptFrameException("not the start of a frame");
        }
        ByteBuffer in =
                ByteBuffer.wrap(prefix, preamble.length, FrameHeader.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        return FrameHeader.read(in, this);
    }
}
