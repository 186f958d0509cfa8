package io.jenkins.plugins.compressionaware.engine.receive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DownloadBufferTest {
    private static final int ARRIVED = 80_000;

    /** At 10 Mbit/s, 80,000 bytes take 64 ms. */
    @Test
    void slowLinksFirstBytesAreReadBeforeTheRestHasArrived() throws Exception {
        byte[] file = new byte[200_000];
        new Random(1).nextBytes(file);
        DownloadBuffer buffer = new DownloadBuffer(file.length, new HeapBudget(1 << 30).open(0, 1 << 20));
        DownloadBuffer.RangeSpan request = buffer.takeForStream(8);
        var link = new DataInputStream(new ByteArrayInputStream(file, 0, ARRIVED));

        assertThrows(EOFException.class, () -> buffer.read(request, link));

        ByteArrayOutputStream read = new ByteArrayOutputStream();
        assertTrue(buffer.writeTo(read, false), "a range has arrived");
        assertArrayEquals(Arrays.copyOf(file, read.size()), read.toByteArray());
    }
}
