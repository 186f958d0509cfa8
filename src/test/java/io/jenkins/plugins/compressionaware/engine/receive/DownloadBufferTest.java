package io.jenkins.plugins.compressionaware.engine.receive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
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

    @Test
    void freedHeapIsRequestedInRunsOfFourRanges() throws Exception {
        int window = 16;
        byte[] file = new byte[100 * DownloadBuffer.RANGE_BYTES];
        DownloadBuffer buffer =
                new DownloadBuffer(file.length, new HeapBudget(1).open(0, (long) window * DownloadBuffer.RANGE_BYTES));
        List<Integer> counts = new ArrayList<>();
        for (var run = buffer.takeForStream(8); run != null; run = buffer.pollForStream(8)) {
            counts.add(run.count());
            buffer.read(run, new DataInputStream(new ByteArrayInputStream(file)));
        }
        int requested = counts.stream().mapToInt(Integer::intValue).sum();
        counts.clear();
        for (int consumed = 0; consumed < requested; consumed++) {
            assertTrue(buffer.writeTo(OutputStream.nullOutputStream(), false));
            DownloadBuffer.RangeSpan run = buffer.pollForStream(8);
            if (run != null) {
                counts.add(run.count());
            }
        }
        assertEquals(Collections.nCopies(requested / 4, 4), counts);
    }
}
