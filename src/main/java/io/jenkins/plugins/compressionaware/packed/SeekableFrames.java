package io.jenkins.plugins.compressionaware.packed;

import io.jenkins.plugins.compressionaware.engine.framefile.RangeReader;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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

    private final RangeReader file;
    private final ByteBuffer lengths;
    private long position;

    SeekableFrames(Path path) throws IOException {
        file = StoredRecord.open(path);
        try {
            ByteBuffer footer = last(FOOTER);
            long table = (footer.getInt(0) & 0xFFFFFFFFL) * ENTRY;
            if (footer.getInt(FOOTER - 4) != SEEKABLE_MAGIC || table > Integer.MAX_VALUE - FOOTER) {
                throw new IOException(path + " has no seek table");
            }
            lengths = last((int) table + FOOTER);
            lengths.limit((int) table);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    private ByteBuffer last(int count) throws IOException {
        if (count > file.length()) {
            throw new EOFException(file.name() + " is too short");
        }
        return ByteBuffer.wrap(file.read(file.length() - count, count)).order(ByteOrder.LITTLE_ENDIAN);
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
                position += length & 0xFFFFFFFFL;
                return InputStream.nullInputStream();
            } else if (length < 4 || length > MAX_FRAME) {
                throw new IOException("A frame has " + length + " bytes");
            }
            byte[] frame = file.read(position, length);
            position += length;
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
        file.close();
    }
}
