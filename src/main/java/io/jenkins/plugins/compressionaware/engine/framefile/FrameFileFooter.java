package io.jenkins.plugins.compressionaware.engine.framefile;

import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The last bytes of a stored file. They are a skippable frame, which the ordinary tools ignore. All integers are little-endian.
 *
 * @param libraries whether reading the frames takes a codec library
 * @param framesEnd where the frames end and the skippable frame begins, bytes from the start
 * @param rawBytes  bytes of all blocks together
 * @param blockSize bytes of the largest block that the file may have
 */
record FrameFileFooter(boolean libraries, long framesEnd, long rawBytes, int blockSize) {
    /** Bytes of the content, without {@link #PREAMBLE}. */
    static final int LENGTH = 40;

    /** Bytes of magic number and length in front of the skippable frame's content. */
    private static final int PREAMBLE = 8;

    /** Differs from the magic number of the frames' headers, since the content does. */
    private static final int SKIPPABLE_MAGIC = 0x184D2A5D;

    /** The letters CASF: compression-aware stored frames. */
    private static final int MAGIC = 0x46534143;

    private static final int VERSION = 2;

    private static final int FIELDS = LENGTH - 12;

    /** Preamble and content. */
    byte[] toBytes() {
        ByteBuffer out = ByteBuffer.allocate(PREAMBLE + LENGTH)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(SKIPPABLE_MAGIC)
                .putInt(LENGTH)
                .putLong(libraries ? 1 : 0)
                .putLong(framesEnd)
                .putLong(rawBytes)
                .putInt(blockSize);
        return out.putInt(digest(out.array(), PREAMBLE))
                .putInt(VERSION)
                .putInt(MAGIC)
                .array();
    }

    /**
     * @param bytes      last {@link #LENGTH} bytes of a file
     * @param fileLength bytes of that file
     * @throws IOException that says why they do not end a stored file
     */
    static FrameFileFooter read(byte[] bytes, long fileLength) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        FrameFileFooter footer = new FrameFileFooter(in.getLong() != 0, in.getLong(), in.getLong(), in.getInt());
        int digest = in.getInt();
        int version = in.getInt();
        if (in.getInt() != MAGIC) {
            throw new IOException("the file does not end with a footer");
        }
        if (version != VERSION) {
            throw new IOException("the file has format version " + version + " instead of " + VERSION);
        }
        if (digest != digest(bytes, 0)) {
            throw new IOException("the footer is damaged");
        }
        if (footer.framesEnd + PREAMBLE + LENGTH != fileLength
                || footer.framesEnd < 1
                || footer.blockSize < 1
                || footer.blockSize > FrameCodec.MAX_BLOCK) {
            throw new IOException("the footer does not match the file");
        }
        return footer;
    }

    private static int digest(byte[] bytes, int offset) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, FIELDS);
        return (int) crc.getValue();
    }
}
