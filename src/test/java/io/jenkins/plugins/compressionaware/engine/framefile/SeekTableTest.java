package io.jenkins.plugins.compressionaware.engine.framefile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class SeekTableTest {
    private static final int FRAMES = 5_000;

    @Test
    void holdsAnyNumberOfFrames() {
        SeekTable table = new SeekTable();
        for (int i = 1; i <= FRAMES; i++) {
            table.add(new FrameHeader(Codec.ZSTD, i, i, i, Checksum.CRC32C, 0), 100 + i);
        }
        ByteBuffer bytes = ByteBuffer.wrap(table.toBytes(77)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.position(8);
        long wire = 0;
        long raw = 0;
        for (int i = 0; i < 2 * FRAMES; i++) {
            wire += bytes.getInt();
            raw += bytes.getInt();
        }
        assertEquals(FRAMES * 100L + raw, wire);
        assertEquals(FRAMES * (FRAMES + 1L) / 2, raw);
        assertEquals(77, bytes.getInt());
        assertEquals(2 * FRAMES + 2, bytes.getInt(bytes.limit() - 9));
    }
}
