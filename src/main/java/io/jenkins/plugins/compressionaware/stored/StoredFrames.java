package io.jenkins.plugins.compressionaware.stored;

import io.jenkins.plugins.compressionaware.codec.Envelope;
import io.jenkins.plugins.compressionaware.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.codec.Frames;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of frames, open for reading by position. What is read stays the same when the file is replaced or removed meanwhile. Any thread may read; the
 * file is closed for all if one of them is interrupted in it.
 */
public final class StoredFrames implements Closeable {
    private final Path file;
    private final FileChannel channel;
    private final Footer footer;

    private StoredFrames(Path file, FileChannel channel, Footer footer) {
        this.file = file;
        this.channel = channel;
        this.footer = footer;
    }

    /** @throws IOException naming the file, and why it is none of frames or not whole */
    public static StoredFrames open(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        try {
            return new StoredFrames(file, channel, footer(channel));
        } catch (IOException e) {
            channel.close();
            throw new IOException("Cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    private static Footer footer(FileChannel channel) throws IOException {
        long length = channel.size();
        if (length < Footer.LENGTH) {
            throw new IOException("it is too short");
        }
        ByteBuffer last = ByteBuffer.allocate(Footer.LENGTH);
        fill(channel, length - Footer.LENGTH, last);
        Footer footer = Footer.read(last.array());
        if (footer.fileLength() != length
                || footer.frames() < 1
                || footer.blockSize() < 1
                || footer.blockSize() > Frames.MAX_BLOCK) {
            throw new IOException("its index does not fit it");
        }
        return footer;
    }

    private static void fill(FileChannel channel, long position, ByteBuffer target) throws IOException {
        long at = position;
        while (target.hasRemaining()) {
            int n = channel.read(target, at);
            if (n < 0) {
                throw new EOFException("it ends at " + at);
            }
            at += n;
        }
    }

    public Path file() {
        return file;
    }

    /** Number of frames, the end frame among them. */
    public long frames() {
        return footer.frames();
    }

    /** Bytes of all frames together; they begin with the file. */
    public long wireBytes() {
        return footer.framesEnd();
    }

    /** Bytes of all blocks together: those of the tar. */
    public long rawBytes() {
        return footer.rawBytes();
    }

    /** Bytes of the largest block that it may have. */
    public int blockSize() {
        return footer.blockSize();
    }

    /**
     * Where a frame begins, bytes from the start; two reads of eight bytes tell where it is and how long.
     *
     * @param number up to {@link #frames}, which is where the last one ends
     */
    public long position(long number) throws IOException {
        if (number == footer.frames()) {
            return footer.framesEnd();
        }
        ByteBuffer entry = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        fill(channel, footer.entry(number), entry);
        return entry.getLong(0);
    }

    /** The header of a frame, its own checksum verified. */
    public FrameHeader header(long number) throws IOException {
        long position = position(number);
        byte[] prefix = new byte[Envelope.GZIP_EXTRA_FIELD.prefixLength()];
        read(position, prefix, 0, (int) Math.min(prefix.length, footer.framesEnd() - position));
        return Envelope.startingWith(prefix[0]).read(prefix);
    }

    /** Reads bytes of the frames. */
    public void read(long position, byte[] target, int offset, int length) throws IOException {
        if (position < 0 || length < 0 || length > footer.framesEnd() - position) {
            throw new EOFException(file + " has no " + length + " bytes at " + position);
        }
        fill(channel, position, ByteBuffer.wrap(target, offset, length));
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
