package io.jenkins.plugins.compressionaware.stored;

import io.jenkins.plugins.compressionaware.codec.Frames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The last bytes of a file of frames. They are a skippable frame, so that the ordinary tools pass over them. All integers are little-endian.
 *
 * @param libraries whether a codec library is needed to read the frames
 * @param framesEnd where the frames end and the skippable frame begins, bytes from the start
 * @param rawBytes  bytes of all blocks together
 * @param blockSize bytes of the largest block that it may have
 */
record Footer(boolean libraries, long framesEnd, long rawBytes, int blockSize) {
    /** Bytes of it, without {@link #PREAMBLE}. */
    static final int LENGTH = 40;

    /** Magic number and length in front of the skippable frame's content. */
    private static final int PREAMBLE = 8;

    /** The magic number beside that of the frames' headers: this content is another. */
    private static final int SKIPPABLE_MAGIC = 0x184D2A5D;

    /** The letters CASF: compression-aware stored frames. */
    private static final int MAGIC = 0x46534143;

    private static final int VERSION = 2;

    /** It begins with the number of frames, and has where each of them is, eight bytes, between preamble and footer. */
    private static final int WITH_POSITIONS = 1;

    private static final int FIELDS = LENGTH - 12;

    /** With what comes in front of it. */
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
     * @param bytes      the last ones of a file
     * @param fileLength of that file, bytes
     * @throws IOException saying why they are not the last bytes of such a file
     */
    static Footer read(byte[] bytes, long fileLength) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        long first = in.getLong();
        Footer footer = new Footer(first != 0, in.getLong(), in.getLong(), in.getInt());
        int digest = in.getInt();
        int version = in.getInt();
        if (in.getInt() != MAGIC) {
            throw new IOException("it has no index at its end");
        }
        if (version != VERSION && version != WITH_POSITIONS) {
            throw new IOException("it has format version " + version + " instead of " + VERSION);
        }
        if (digest != digest(bytes, 0)) {
            throw new IOException("its index is damaged");
        }
        long positions = version == WITH_POSITIONS ? first * Long.BYTES : 0;
        if (footer.framesEnd + PREAMBLE + positions + LENGTH != fileLength
                || footer.framesEnd < 1
                || footer.blockSize < 1
                || footer.blockSize > Frames.MAX_BLOCK) {
            throw new IOException("its index does not fit it");
        }
        return footer;
    }

    private static int digest(byte[] bytes, int offset) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, FIELDS);
        return (int) crc.getValue();
    }
}
