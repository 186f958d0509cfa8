package io.jenkins.plugins.compressionaware.engine.framefile;

import io.jenkins.plugins.compressionaware.engine.codec.FrameEnvelope;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The lengths of all frames of a packed archive, in the seekable format of zstd's contrib folder, so that tools that know this format find any byte of the tar.
 * It is the last frame of the file. Not thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class SeekTable {
    /** A skippable frame. All integers are little-endian. */
    private static final int SKIPPABLE_MAGIC = 0x184D2A5E;

    private static final int PREAMBLE = 8;

    /** Last bytes of the file. */
    private static final int MAGIC = 0x8F92EAB1;

    /** Number of frames (4), descriptor (1), magic (4). */
    private static final int FOOTER = 9;

    private static final int ENTRY = 8;

    private int[] lengths = new int[64];
    private int count;

    /** Adds a frame, whose header of this plugin is a frame of its own unless the body is gzip. */
    public void add(FrameHeader header, int length) {
        if (header.codec().envelope() == FrameEnvelope.GZIP_EXTRA_FIELD) {
            add(length, header.rawLength());
        } else {
            int prefix = header.codec().envelope().prefixLength();
            add(prefix, 0);
            add(length - prefix, header.rawLength());
        }
    }

    private void add(int wireLength, int rawLength) {
        if (2 * count == lengths.length) {
            lengths = Arrays.copyOf(lengths, 2 * lengths.length);
        }
        lengths[2 * count] = wireLength;
        lengths[2 * count++ + 1] = rawLength;
    }

    /**
     * Returns the frame.
     *
     * @param indexLength length of the skippable frame between the other frames and the footer, bytes
     */
    public byte[] toBytes(int indexLength) {
        add(indexLength, 0);
        add(FrameFileFooter.FRAME_LENGTH, 0);
        ByteBuffer out = ByteBuffer.allocate(PREAMBLE + count * ENTRY + FOOTER).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(SKIPPABLE_MAGIC).putInt(count * ENTRY + FOOTER);
        for (int i = 0; i < 2 * count; i++) {
            out.putInt(lengths[i]);
        }
        return out.putInt(count).put((byte) 0).putInt(MAGIC).array();
    }

    /** Returns the length of the table at the end of a file, bytes; 0 if there is none. */
    public static long lengthIn(RangeReader file) throws IOException {
        if (file.length() < FOOTER) {
            return 0;
        }
        ByteBuffer end =
                ByteBuffer.wrap(file.read(file.length() - FOOTER, FOOTER)).order(ByteOrder.LITTLE_ENDIAN);
        return end.getInt(FOOTER - 4) == MAGIC ? PREAMBLE + (end.getInt(0) & 0xFFFFFFFFL) * ENTRY + FOOTER : 0;
    }
}
