package io.jenkins.plugins.compressionaware.packed;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.NoSuchElementException;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.apache.commons.compress.compressors.zstandard.ZstdCompressorInputStream;

/** The frames of a packed archive, decoded by Commons Compress alone, which shares no code with this plugin. Only their lengths come from the seek table. */
final class SeekableFrames implements Enumeration<InputStream>, Closeable {
    private static final int SEEKABLE_MAGIC = 0x8F92EAB1;
    private static final int FOOTER = 9;
    private static final int ENTRY = 8;
    private static final int MAX_FRAME = 8 << 20;
    private static final int GZIP = 0x8B1F;
    private static final int ZSTD = 0xFD2FB528;

    private final InputStream in;
    private final ByteBuffer lengths;

    SeekableFrames(Path file) throws IOException {
        long size = Files.size(file);
        ByteBuffer footer = ByteBuffer.wrap(last(file, size, FOOTER)).order(ByteOrder.LITTLE_ENDIAN);
        long table = (footer.getInt(0) & 0xFFFFFFFFL) * ENTRY;
        if (footer.getInt(FOOTER - 4) != SEEKABLE_MAGIC || table > Math.min(size, Integer.MAX_VALUE - FOOTER)) {
            throw new IOException(file + " has no seek table");
        }
        lengths = ByteBuffer.wrap(last(file, size, (int) table + FOOTER), 0, (int) table)
                .order(ByteOrder.LITTLE_ENDIAN);
        in = new BufferedInputStream(Files.newInputStream(file));
    }

    private static byte[] last(Path file, long size, int count) throws IOException {
        try (InputStream bytes = Files.newInputStream(file)) {
            bytes.skipNBytes(Math.max(0, size - count));
            byte[] read = bytes.readNBytes(count);
            if (read.length < count) {
                throw new EOFException(file + " is too short");
            }
            return read;
        }
    }

    @Override
    public boolean hasMoreElements() {
        return lengths.hasRemaining();
    }

    @Override
    public InputStream nextElement() {
        if (!hasMoreElements()) {
            throw new NoSuchElementException();
        }
        int length = lengths.getInt();
        boolean hasContent = lengths.getInt() != 0;
        try {
            if (!hasContent) {
                in.skipNBytes(length & 0xFFFFFFFFL);
                return InputStream.nullInputStream();
            } else if (length < 4 || length > MAX_FRAME) {
                throw new IOException("A frame has " + length + " bytes");
            }
            byte[] frame = in.readNBytes(length);
            InputStream bytes = new ByteArrayInputStream(frame);
            int magic = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).getInt();
            if (magic == ZSTD) {
                return new ZstdCompressorInputStream(bytes);
            } else if ((magic & 0xFFFF) == GZIP) {
                return new GzipCompressorInputStream(bytes);
            }
            throw new IOException("A frame is neither zstd nor gzip");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
