package io.jenkins.plugins.compressionaware.engine.framefile;

import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Counts and checks the frames of a file that is being written, here or in a store, and makes its footer. Not thread-safe. */
@Restricted(NoExternalUse.class)
public final class FrameTally {
    private final Set<CodecLibrary> libraries = EnumSet.noneOf(CodecLibrary.class);
    private long frames;
    private long wireBytes;
    private long rawBytes;
    private boolean ended;

    /**
     * Adds the next frame.
     *
     * @param length of the whole frame, bytes
     * @throws IOException if a frame file cannot contain the frame
     */
    public void add(FrameHeader header, int length) throws IOException {
        check(header);
        frames++;
        if (header.codec().needsLibrary()) {
            libraries.add(CodecLibrary.ZSTD);
        }
        if (header.checksum() == Checksum.XXHASH64) {
            libraries.add(CodecLibrary.LZ4);
        }
        wireBytes += length;
        rawBytes += header.rawLength();
        ended = header.isEndFrame();
    }

    /** Checks the next frame. */
    void check(FrameHeader header) throws IOException {
        if (ended || header.sequence() != frames) {
            throw new IOException("Frame " + header.sequence() + " instead of frame " + frames);
        }
        if (header.codec() == Codec.LZ4) {
            throw new IOException("Frame " + frames + " is compressed with lz4, which a frame file cannot contain");
        }
    }

    /** Returns the length of the frames so far, bytes. */
    public long wireBytes() {
        return wireBytes;
    }

    /** Returns the length of the blocks so far, that is, of the tar, bytes. */
    public long rawBytes() {
        return rawBytes;
    }

    /**
     * Returns the footer, a frame.
     *
     * @param blockSize length of the largest possible block, bytes
     */
    public byte[] footer(int blockSize) throws IOException {
        if (!ended) {
            throw new IOException("The end frame is missing");
        }
        return new FrameFileFooter(libraries, wireBytes, rawBytes, blockSize).toBytes();
    }
}
