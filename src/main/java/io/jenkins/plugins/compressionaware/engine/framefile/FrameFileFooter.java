package io.jenkins.plugins.compressionaware.engine.framefile;

import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.codec.Crc32c;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.Set;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The last bytes of a frame file: a skippable frame, which ordinary decompression tools ignore. In a packed archive, an index is before it, and a seek table
 * after it. All integers are little-endian.
 *
 * @param libraries libraries that decoding and verifying the frames requires
 * @param framesEnd position where the frames end and the skippable frame begins
 * @param rawBytes  length of all blocks together, bytes
 * @param blockSize length of the largest possible block, bytes
 */
@Restricted(NoExternalUse.class)
public record FrameFileFooter(Set<CodecLibrary> libraries, long framesEnd, long rawBytes, int blockSize) {
    /** Length of the skippable frame's content, bytes. */
    static final int LENGTH = 40;

    /** Length of the whole frame, bytes. */
    public static final int FRAME_LENGTH = 8 + LENGTH;

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
     * Reads the footer of a complete file.
     *
     * @throws IOException with the reason, if the file has no valid footer
     */
    public static FrameFileFooter of(RangeReader file) throws IOException {
        long end = file.length() - SeekTable.lengthIn(file);
        if (end < LENGTH) {
            throw new IOException("the file is too short");
        }
        FrameFileFooter footer = read(file.read(end - LENGTH, LENGTH), end);
        if (end == file.length() && footer.framesEnd + FRAME_LENGTH != end) {
            throw new IOException("the footer does not match the file");
        }
        return footer;
    }

    /**
     * Parses a footer.
     *
     * @param end position after these bytes
     * @throws IOException with the reason, if the bytes are not a valid footer of the file
     */
    private static FrameFileFooter read(byte[] bytes, long end) throws IOException {
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
        if (footer.framesEnd > end - FRAME_LENGTH
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
