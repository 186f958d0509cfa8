package io.jenkins.plugins.compressionaware.engine.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * An LZ4 frame of one block (LZ4 Frame Format 1.6). The library's frame streams allocate several buffers per frame, and a frame
 * here is as small as a block, so the 15 bytes around the block are written by hand.
 */
final class Lz4Codec implements BlockEncoder, BlockDecoder {
    /** See {@link Codec#nativeCode()}. */
    static final String NATIVE_CODE = "net/jpountz/util/{windows}/liblz4-java";

    private static final int MAGIC = 0x184D2204;

    /** Version 1, independent blocks, no checksums, no content size. */
    private static final byte FLAGS = 0b0110_0000;

    /** Maximum block size of 4 MiB, the largest that the format allows. */
    private static final byte BLOCK_DESCRIPTOR = 0b0111_0000;

    private static final int UNCOMPRESSED = 0x8000_0000;
    private static final int HEADER = 4 + 3 + 4;
    private static final int END_MARK = 4;

    /** Second byte of the xxHash32 of the two bytes before it. */
    private static final byte HEADER_CHECKSUM = 0x73;

    private static final LZ4Factory FACTORY = factory();

    private final LZ4Compressor compressor = FACTORY.fastCompressor();
    private final LZ4SafeDecompressor decompressor = FACTORY.safeDecompressor();

    /**
     * Returns native code if it loads, otherwise plain Java, which takes two to three times as long. By default, the library uses native
     * code only in the system class loader, but here a plugin's or channel's class loader loads it. Its other default, {@code Unsafe},
     * makes JDK 24 and newer print warnings.
     */
    private static LZ4Factory factory() {
        try {
            return LZ4Factory.nativeInstance();
        } catch (RuntimeException | LinkageError e) {
            return LZ4Factory.safeInstance();
        }
    }

    @Override
    public int maxEncodedLength(int rawLength) {
        return HEADER + compressor.maxCompressedLength(rawLength) + END_MARK;
    }

    @Override
    public int encode(byte[] raw, int rawLength, byte[] target, int targetOffset) {
        int length = compressor.compress(raw, 0, rawLength, target, targetOffset + HEADER);
        int blockSize = length;
        if (length >= rawLength) {
            System.arraycopy(raw, 0, target, targetOffset + HEADER, rawLength);
            length = rawLength;
            blockSize = rawLength | UNCOMPRESSED;
        }
        ByteBuffer out = ByteBuffer.wrap(target, targetOffset, HEADER + length + END_MARK)
                .order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(MAGIC).put(FLAGS).put(BLOCK_DESCRIPTOR).put(HEADER_CHECKSUM).putInt(blockSize);
        out.putInt(targetOffset + HEADER + length, 0);
        return HEADER + length + END_MARK;
    }

    @Override
    public void decode(byte[] body, int bodyOffset, int bodyLength, byte[] raw, int rawLength)
            throws CorruptFrameException {
        if (bodyLength < HEADER + END_MARK) {
            throw new CorruptFrameException("LZ4 frame is cut short");
        }
        ByteBuffer in = ByteBuffer.wrap(body, bodyOffset, bodyLength).order(ByteOrder.LITTLE_ENDIAN);
        if (in.getInt() != MAGIC
                || in.get() != FLAGS
                || in.get() != BLOCK_DESCRIPTOR
                || in.get() != HEADER_CHECKSUM
                || in.getInt(bodyOffset + bodyLength - END_MARK) != 0) {
            throw new CorruptFrameException("LZ4 frame has a wrong header or end mark");
        }
        int blockSize = in.getInt();
        int length = bodyLength - HEADER - END_MARK;
        if ((blockSize & ~UNCOMPRESSED) != length) {
            throw new CorruptFrameException("LZ4 frame has a wrong block size");
        }
        if ((blockSize & UNCOMPRESSED) != 0) {
            if (length != rawLength) {
                throw new CorruptFrameException("LZ4 frame holds " + length + " bytes instead of " + rawLength);
            }
            in.get(raw, 0, rawLength);
            return;
        }
        try {
            int decoded = decompressor.decompress(body, bodyOffset + HEADER, length, raw, 0, rawLength);
            if (decoded != rawLength) {
                throw new CorruptFrameException("LZ4 frame holds " + decoded + " bytes instead of " + rawLength);
            }
        } catch (LZ4Exception e) {
            throw new CorruptFrameException("LZ4 frame is damaged", e);
        }
    }

    @Override
    public void close() {}
}
