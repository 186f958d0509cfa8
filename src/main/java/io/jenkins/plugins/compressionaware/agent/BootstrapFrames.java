package io.jenkins.plugins.compressionaware.agent;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Deflater;

/** Splits the tar of a bootstrap call into blocks, and writes these as gzip frames in the engine's wire format, see {@link BootstrapArchiveCallable}. */
final class BootstrapFrames implements Closeable {
    /** Wire bytes after which frames are flushed to the lane. */
    private static final int FLUSH_BYTES = 128 * 1024;

    /** Bytes of the gzip header and extra field before a frame's own header. */
    private static final int GZIP_PREFIX = 16;

    private static final int FRAME_PREFIX = GZIP_PREFIX + 32;

    /** Number and length of the samples of a block that detect noise. The beginning alone would not suffice, because a jar begins with short entries. */
    private static final int SAMPLE_COUNT = 128;

    private static final int SAMPLE_LENGTH = 16;

    private final OutputStream out;
    private final boolean isStash;
    private final byte[] block;
    private final Deflater deflater = new Deflater(BootstrapArchiveCallable.LEVEL, true);
    private int filled;
    private int blocks;
    private byte[] frames;
    private int length;
    private long sent;
    private long waited;

    BootstrapFrames(OutputStream out, int firstBlock, int blockSize, boolean isStash) {
        this.out = out;
        this.isStash = isStash;
        blocks = firstBlock;
        block = new byte[blockSize];
        frames = new byte[2 * blockSize];
    }

    /** Returns the bytes of all frames so far. */
    long wireBytes() {
        return sent + length;
    }

    /** Returns the bytes of all frames so far, and of the tar in the current block. */
    long bytes() {
        return sent + length + filled;
    }

    /** Returns the nanoseconds in writes so far. */
    long waited() {
        return waited;
    }

    /** Writes all frames, and then the result of the call. */
    void finish(byte[] result) throws IOException {
        frames = Arrays.copyOf(frames, length + result.length);
        System.arraycopy(result, 0, frames, length, result.length);
        length += result.length;
        flush();
    }

    /** Adds bytes of the tar. */
    void append(byte[] bytes) throws IOException {
        int done = 0;
        while (done < bytes.length) {
            int n = Math.min(bytes.length - done, block.length - filled);
            System.arraycopy(bytes, done, block, filled, n);
            filled += n;
            done += n;
            if (filled == block.length) {
                endBlock();
            }
        }
    }

    /** Ends the current block, unless it is empty. */
    void endBlock() throws IOException {
        if (filled > 0) {
            frame();
            filled = 0;
        }
    }

    /** Adds the block as a gzip frame; an empty block is the end frame. */
    void frame() throws IOException {
        int most = length + FRAME_PREFIX + filled + filled / 8 + 1024;
        if (frames.length < most) {
            frames = Arrays.copyOf(frames, most);
        }
        int end = length + FRAME_PREFIX;
        deflater.reset();
        deflater.setLevel(
                isStash
                        ? BootstrapArchiveCallable.STASH_LEVEL
                        : isNoise() ? Deflater.NO_COMPRESSION : BootstrapArchiveCallable.LEVEL);
        deflater.setInput(block, 0, filled);
        deflater.finish();
        while (!deflater.finished()) {
            end += deflater.deflate(frames, end, frames.length - end);
        }
        CRC32 crc = new CRC32();
        crc.update(block, 0, filled);
        CRC32C checksum = new CRC32C();
        checksum.update(block, 0, filled);
        ByteBuffer frame = ByteBuffer.wrap(frames).order(ByteOrder.LITTLE_ENDIAN);
        frame.position(end);
        frame.putInt((int) crc.getValue()).putInt(filled);
        frame.position(length);
        // deflate, with an extra field, no time, unknown system; then the ID "CA" of the field and its length
        frame.putLong(0x04088b1fL).putShort((short) 0xff00).putShort((short) 36);
        frame.putShort((short) 0x4143).putShort((short) 32);
        frame.put((byte) 1).put((byte) 1).putShort((short) 0);
        frame.putLong(blocks++)
                .putInt(filled)
                .putInt(end + 8 - length - FRAME_PREFIX)
                .putLong(checksum.getValue());
        checksum.reset();
        checksum.update(frames, length + GZIP_PREFIX, FRAME_PREFIX - GZIP_PREFIX - Integer.BYTES);
        frame.putInt((int) checksum.getValue());
        length = end + 8;
        if (length >= FLUSH_BYTES) {
            flush();
        }
    }

    private void flush() throws IOException {
        long begin = System.nanoTime();
        out.write(frames, 0, length);
        waited += System.nanoTime() - begin;
        sent += length;
        length = 0;
    }

    /** Returns whether the bytes of the samples are about equally frequent, so that gzip would save less than 5 %. */
    private boolean isNoise() {
        if (filled < 4 * SAMPLE_COUNT * SAMPLE_LENGTH) {
            return false;
        }
        int[] counts = new int[256];
        for (int place = 0; place < SAMPLE_COUNT; place++) {
            int from = filled / SAMPLE_COUNT * place;
            for (int i = from; i < from + SAMPLE_LENGTH; i++) {
                counts[block[i] & 0xff]++;
            }
        }
        long squares = 0;
        for (int i = 0; i < counts.length; i++) {
            squares += (long) counts[i] * counts[i];
        }
        // noise has 1.125 times the sum of squares of equal counts; with 5 % less entropy it is 1.5 times
        return squares < 1.5 * (SAMPLE_COUNT * SAMPLE_LENGTH) * (SAMPLE_COUNT * SAMPLE_LENGTH) / counts.length;
    }

    @Override
    public void close() {
        deflater.end();
    }
}
