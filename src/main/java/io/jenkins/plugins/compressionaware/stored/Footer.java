package io.jenkins.plugins.compressionaware.stored;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The last bytes of a file of frames, which say where everything else is. They are the end of a skippable frame, so that the ordinary tools pass
 * over them. All integers are little-endian.
 *
 * @param frames     number of frames, the end frame among them
 * @param framesEnd  where the frames end and the skippable frame begins, bytes from the start
 * @param rawBytes   bytes of all blocks together
 * @param blockSize  bytes of the largest block that it may have
 */
record Footer(long frames, long framesEnd, long rawBytes, int blockSize) {
    /** Bytes of it. */
    static final int LENGTH = 40;

    /** Magic number and length in front of the skippable frame's content. */
    static final int PREAMBLE = 8;

    /** The magic number beside that of the frames' headers: this content is another. */
    private static final int SKIPPABLE_MAGIC = 0x184D2A5D;

    /** The letters CASF: compression-aware stored frames. */
    private static final int MAGIC = 0x46534143;

    private static final int VERSION = 1;
    private static final int FIELDS = LENGTH - 12;

    /** Where the skippable frame says where frame {@code number} begins. */
    long entry(long number) {
        return framesEnd + PREAMBLE + number * Long.BYTES;
    }

    /** Bytes of the whole file. */
    long fileLength() {
        return entry(frames) + LENGTH;
    }

    /** What comes in front of the positions. */
    ByteBuffer preamble() {
        return buffer(PREAMBLE)
                .putInt(SKIPPABLE_MAGIC)
                .putInt((int) (frames * Long.BYTES + LENGTH))
                .flip();
    }

    byte[] toBytes() {
        ByteBuffer out = buffer(LENGTH)
                .putLong(frames)
                .putLong(framesEnd)
                .putLong(rawBytes)
                .putInt(blockSize);
        int digest = digest(out.array());
        return out.putInt(digest).putInt(VERSION).putInt(MAGIC).array();
    }

    /** @throws IOException saying why these are not the last bytes of such a file */
    static Footer read(byte[] bytes) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        Footer footer = new Footer(in.getLong(), in.getLong(), in.getLong(), in.getInt());
        int digest = in.getInt();
        int version = in.getInt();
        if (in.getInt() != MAGIC) {
            throw new IOException("it has no index at its end");
        }
        if (version != VERSION) {
            throw new IOException("it has format version " + version + " instead of " + VERSION);
        }
        if (digest != digest(bytes)) {
            throw new IOException("its index is damaged");
        }
        return footer;
    }

    private static int digest(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, FIELDS);
        return (int) crc.getValue();
    }

    static ByteBuffer buffer(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }
}
