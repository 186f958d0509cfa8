package io.jenkins.plugins.compressionaware.engine.framefile;

import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.codec.Crc32c;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.Set;

/**
 * The last bytes of a frame file: a skippable frame, which ordinary decompression tools ignore. All integers are little-endian.
 *
 * @param libraries libraries that decoding and verifying the frames requires
 * @param framesEnd position where the frames end and the skippable frame begins
 * @param rawBytes  length of all blocks together, bytes
 * @param blockSize length of the largest possible block, bytes
 */
record FrameFileFooter(Set<CodecLibrary> libraries, long framesEnd, long rawBytes, int blockSize) {
    /** Length of the skippable frame's content, bytes. */
    static final int LENGTH = 40;

    /** Length of the magic number and the length field before the content, bytes. */
    private static final int PREAMBLE = 8;

    /** Differs from the magic number of frame headers, because the content differs. */
    private static final int SKIPPABLE_MAGIC = 0x184D2A5D;

    /** The letters CASF: compression-aware stored frames. */
    private static final int MAGIC = 0x46534143;

    private static final int VERSION = 3;

    private static final int FIELDS = LENGTH - 12;

    private static long bit(CodecLibrary library) {
        return library == CodecLibrary.ZSTD ? 1 : 2;
    }

    byte[] toBytes() {
        ByteBuffer out = ByteBuffer.allocate(PREAMBLE + LENGTH)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(SKIPPABLE_MAGIC)
                .putInt(LENGTH)
                .putLong(libraries.stream().mapToLong(FrameFileFooter::bit).sum())
                .putLong(framesEnd)
                .putLong(rawBytes)
                .putInt(blockSize);
        return out.putInt((int) Crc32c.of(out.array(), PREAMBLE, FIELDS))
                .putInt(VERSION)
                .putInt(MAGIC)
                .array();
    }

    /**
     * Parses a footer.
     *
     * @param bytes      last {@link #LENGTH} bytes of a file
     * @param fileLength length of the file, bytes
     * @throws IOException with the reason, if the bytes are not a valid footer of the file
     */
    static FrameFileFooter read(byte[] bytes, long fileLength) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        FrameFileFooter footer = new FrameFileFooter(libraries(in.getLong()), in.getLong(), in.getLong(), in.getInt());
        int checksum = in.getInt();
        int version = in.getInt();
        if (in.getInt() != MAGIC) {
            throw new IOException("the file does not end with a footer");
        }
        if (version != VERSION) {
            throw new IOException("the file has format version " + version + " instead of " + VERSION);
        }
        if (checksum != (int) Crc32c.of(bytes, 0, FIELDS)) {
            throw new IOException("the footer is damaged");
        }
        if (footer.framesEnd + PREAMBLE + LENGTH != fileLength
                || footer.framesEnd < 1
                || footer.blockSize < 1
                || footer.blockSize > FrameCodec.MAX_BLOCK
                || footer.rawBytes < 0
                || footer.rawBytes / footer.blockSize > footer.framesEnd) {
            throw new IOException("the footer does not match the file");
        }
        return footer;
    }

    private static Set<CodecLibrary> libraries(long bits) {
        Set<CodecLibrary> libraries = EnumSet.allOf(CodecLibrary.class);
        libraries.removeIf(library -> (bits & bit(library)) == 0);
        return libraries;
    }
}
