package io.jenkins.plugins.compressionaware.engine.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;

/** Writes one LZ4 frame of at most one block (LZ4 Frame Format 1.6). The library's frame streams would allocate several buffers per frame. */
final class Lz4Encoder implements BlockEncoder {
    /** First bytes of an LZ4 frame. */
    static final int MAGIC = 0x184D2204;

    /**
     * Three bytes, lowest first: version 1 with independent blocks, no checksums and no content size; blocks of up to 4 MiB, the largest that the format
     * allows; the second byte of the xxHash32 of these two. A constant, so that the decoder does not load this class and with it native code.
     */
    static final int DESCRIPTOR = 0x737060;

    /** Length of magic and descriptor, bytes. */
    static final int HEADER = 4 + 3;

    static final int BLOCK_SIZE = 4;
    static final int END_MARK = 4;

    /** Flag in the size of a block that is not compressed. */
    static final int UNCOMPRESSED = 0x8000_0000;

    private static final LZ4Compressor COMPRESSOR = factory().fastCompressor();

    /** Returns native code if it loads without a warning of the JVM, otherwise plain Java, three times slower. {@code Unsafe} would cause warnings. */
    private static LZ4Factory factory() {
        try {
            return isNativeAccessEnabled() ? LZ4Factory.nativeInstance() : LZ4Factory.safeInstance();
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            return LZ4Factory.safeInstance();
        }
    }

    /** JDK 24 and newer warn of native code that no option of the JVM has enabled (JEP 472). After its first warning, a JVM returns true. */
    private static boolean isNativeAccessEnabled() throws ReflectiveOperationException {
        return Runtime.version().feature() < 24
                || (boolean) Module.class.getMethod("isNativeAccessEnabled").invoke(LZ4Factory.class.getModule());
    }

    @Override
    public int maxEncodedLength(int rawLength) {
        return HEADER + BLOCK_SIZE + COMPRESSOR.maxCompressedLength(rawLength) + END_MARK;
    }

    @Override
    public int encode(byte[] raw, int rawLength, byte[] target, int targetOffset) {
        ByteBuffer out = ByteBuffer.wrap(target, targetOffset, target.length - targetOffset)
                .order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(MAGIC).putInt(DESCRIPTOR).position(targetOffset + HEADER);
        if (rawLength > 0) {
            int start = out.position() + BLOCK_SIZE;
            int length = COMPRESSOR.compress(raw, 0, rawLength, target, start);
            int flag = 0;
            if (length >= rawLength) {
                length = rawLength;
                flag = UNCOMPRESSED;
                System.arraycopy(raw, 0, target, start, rawLength);
            }
            out.putInt(length | flag).position(start + length);
        }
        out.putInt(0); // the end mark
        return out.position() - targetOffset;
    }
}
