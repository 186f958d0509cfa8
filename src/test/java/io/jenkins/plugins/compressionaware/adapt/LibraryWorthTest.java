package io.jenkins.plugins.compressionaware.adapt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.codec.Codec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When codecs are brought. */
class LibraryWorthTest {
    private static final int RAW = 256 * 1024;

    /** Nanoseconds per byte. */
    private static final double GIGABYTE_PER_SECOND = 1;

    private static final double TEN_MBIT = 800;

    /** Megabytes of files after which bringing this many bytes is worth while. */
    private static double worthAfter(Codec codec, double ratio, double nanosPerByte, double link, long bytes) {
        double lost = 0;
        int blocks = 0;
        while (lost < LibraryWorth.price(bytes, link)) {
            lost += LibraryWorth.lost(codec, (int) (RAW * ratio), (long) (RAW * nanosPerByte), 2, link);
            blocks++;
            if (blocks > 1_000_000) {
                return Double.POSITIVE_INFINITY;
            }
        }
        return blocks * RAW / 1e6;
    }

    @ParameterizedTest
    @CsvSource({"33, 1, 4, 6", "10, 1, 12, 20", "33, 10, 4, 6"})
    void fastLinkComparesProcessorTime(double gzip, double link, double least, double most) {
        double megabytes = worthAfter(Codec.GZIP, 0.3, gzip, link, 600_000);
        assertTrue(megabytes > least && megabytes < most, megabytes + " MB");
    }

    @Test
    void slowLinkComparesBytes() {
        double megabytes = worthAfter(Codec.GZIP, 0.3, 33, TEN_MBIT, 600_000);
        assertTrue(megabytes * 0.3 * 0.25 > 0.6 && megabytes * 0.3 * 0.25 < 0.8, megabytes + " MB");
        assertTrue(worthAfter(Codec.GZIP, 0.3, 33, TEN_MBIT, 8_000_000) > 10 * megabytes);
    }

    @Test
    void storedBlocksLoseNothingOnAFastLink() {
        assertEquals(Double.POSITIVE_INFINITY, worthAfter(Codec.NONE, 1, 0.5, GIGABYTE_PER_SECOND / 10, 600_000));
    }
}
