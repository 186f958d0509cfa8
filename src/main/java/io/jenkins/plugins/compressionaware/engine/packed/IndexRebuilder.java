package io.jenkins.plugins.compressionaware.engine.packed;

import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameEnvelope;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.framefile.RangeReader;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredFile;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.tar.ChunkedInputStream;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.engine.tar.TarWalker;
import java.io.EOFException;
import java.io.IOException;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The tar in a packed archive whose index is damaged, from the first frame on, and a new index of it. Not thread-safe. */
final class IndexRebuilder extends ChunkedInputStream {
    private static final Logger LOGGER = Logger.getLogger(IndexRebuilder.class.getName());

    /** Maximum number of entries, because all of them are in memory. */
    private static final int MAX_ENTRIES = 5_000_000;

    private final RangeReader file;
    private final IndexWriter index = new IndexWriter();
    private byte[] block = {};
    private int at;
    private long number;
    private long wirePosition;
    private boolean ended;
    private long rawBytes;

    private IndexRebuilder(RangeReader file) {
        this.file = file;
    }

    /** Returns an index of all entries before the first damage. Links to objects become files again, as the record of the archive has them. */
    static byte[] rebuild(RangeReader file) throws IOException {
        IndexRebuilder tar = new IndexRebuilder(file);
        TreeMap<String, TarEntry> entries = new TreeMap<>(TarEntry.ORDER);
        try {
            TarWalker.walk(tar, MAX_ENTRIES, entry -> {
                if (entries.size() == MAX_ENTRIES) {
                    throw new IOException("too many entries");
                }
                entries.put(entry.name(), withObject(entry, file));
            });
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, "{0} is damaged after {1} entries: {2}", new Object[] {
                file.name(), entries.size(), e.getMessage()
            });
        }
        // the content of the last entry may be missing
        entries.values()
                .removeIf(entry -> entry.type() == TarEntry.FILE && entry.size() > tar.rawBytes - entry.position());
        return tar.index.toBytes(entries.values());
    }

    /** Returns the file for a link to its object, and any other entry itself. */
    private static TarEntry withObject(TarEntry entry, RangeReader file) {
        if (entry.type() == TarEntry.LINK && file instanceof StoredFile remote) {
            for (StoredRecord object : remote.record().files()) {
                if (object.key().equals(entry.target())) {
                    return entry.ofObject(object.length());
                }
            }
        }
        return entry;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (!fill()) {
            return -1;
        }
        int n = Math.min(length, block.length - at);
        System.arraycopy(block, at, target, offset, n);
        at += n;
        return n;
    }

    @Override
    public long skip(long length) throws IOException {
        if (!fill()) {
            return 0;
        }
        int n = (int) Math.min(length, block.length - at);
        at += n;
        return n;
    }

    /** Returns false after the last frame. */
    private boolean fill() throws IOException {
        while (at == block.length && !ended) {
            int prefixLength = FrameEnvelope.GZIP_EXTRA_FIELD.prefixLength();
            byte[] prefix = file.read(wirePosition, (int) Math.min(prefixLength, file.length() - wirePosition));
            FrameHeader header = PageCodec.header(prefix);
            header.checkLimits(FrameCodec.MAX_BLOCK);
            int wireLength = header.codec().envelope().prefixLength() + header.bodyLength();
            if (wireLength > file.length() - wirePosition) {
                throw new EOFException("the file is cut short");
            }
            block = PageCodec.decode(file.read(wirePosition, wireLength), number++, FrameCodec.MAX_BLOCK);
            at = 0;
            wirePosition += wireLength;
            rawBytes += block.length;
            ended = header.isEndFrame();
            index.add(block.length, wireLength);
        }
        return at < block.length;
    }
}
