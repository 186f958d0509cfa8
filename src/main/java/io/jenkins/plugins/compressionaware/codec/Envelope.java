package io.jenkins.plugins.compressionaware.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Where a frame's header travels, so that the codec's ordinary tool passes over it. All integers are little-endian. */
@Restricted(NoExternalUse.class)
public enum Envelope {
    /** A skippable frame in front of the body. zstd (RFC 8878, 3.1.2) and LZ4 share the format. */
    SKIPPABLE_FRAME(8) {
        @Override
        void writePreamble(ByteBuffer out) {
            out.putInt(SKIPPABLE_MAGIC).putInt(FrameHeader.LENGTH);
        }

        @Override
        boolean readPreamble(ByteBuffer in) {
            return in.getInt() == SKIPPABLE_MAGIC && in.getInt() == FrameHeader.LENGTH;
        }
    },

    /** The extra field of a gzip member's own header (RFC 1952, 2.3.1.1), as BGZF does. */
    GZIP_EXTRA_FIELD(16) {
        @Override
        void writePreamble(ByteBuffer out) {
            out.putLong(GZIP_START).putShort(GZIP_UNKNOWN_OS);
            out.putShort((short) (4 + FrameHeader.LENGTH)).putShort(SUBFIELD_ID).putShort((short) FrameHeader.LENGTH);
        }

        @Override
        boolean readPreamble(ByteBuffer in) {
            return in.getLong() == GZIP_START
                    && in.getShort() == GZIP_UNKNOWN_OS
                    && in.getShort() == 4 + FrameHeader.LENGTH
                    && in.getShort() == SUBFIELD_ID
                    && in.getShort() == FrameHeader.LENGTH;
        }
    };

    /** One of the sixteen magic numbers for skippable frames; the last digit is ours to choose. */
    private static final int SKIPPABLE_MAGIC = 0x184D2A5C;

    /** ID1, ID2, deflate, FEXTRA, and no time stamp. */
    private static final long GZIP_START = 0x0000_0000_0408_8B1FL;

    /** XFL 0, OS 255. */
    private static final short GZIP_UNKNOWN_OS = (short) 0xFF00;

    /** The letters C and A. */
    private static final short SUBFIELD_ID = 0x4143;

    /** The first byte tells the two apart. */
    private static final byte GZIP_FIRST_BYTE = 0x1F;

    private final int preamble;

    Envelope(int preamble) {
        this.preamble = preamble;
    }

    abstract void writePreamble(ByteBuffer out);

    /** Reads {@link #preamble} bytes; false if they are not those of {@link #writePreamble}. */
    abstract boolean readPreamble(ByteBuffer in);

    /** Bytes in front of the body. */
    public int prefixLength() {
        return preamble + FrameHeader.LENGTH;
    }

    /** The envelope that starts with this byte. Any other byte than gzip's leads to one that will refuse it. */
    public static Envelope startingWith(byte first) {
        return first == GZIP_FIRST_BYTE ? GZIP_EXTRA_FIELD : SKIPPABLE_FRAME;
    }

    /** Writes preamble and header to the start of a frame. */
    public void write(FrameHeader header, byte[] frame) {
        ByteBuffer out = ByteBuffer.wrap(frame, 0, prefixLength()).order(ByteOrder.LITTLE_ENDIAN);
        writePreamble(out);
        header.write(out);
    }

    /** Reads what {@link #write} wrote. */
    public FrameHeader read(byte[] prefix) throws CorruptFrameException {
        ByteBuffer in = ByteBuffer.wrap(prefix, 0, prefixLength()).order(ByteOrder.LITTLE_ENDIAN);
        if (!readPreamble(in)) {
            throw new CorruptFrameException("not the start of a frame");
        }
        return FrameHeader.read(in, this);
    }
}
