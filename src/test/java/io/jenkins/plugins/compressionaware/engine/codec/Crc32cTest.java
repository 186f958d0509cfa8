package io.jenkins.plugins.compressionaware.engine.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Crc32cTest {
    /** The check value of the CRC catalogue. */
    @ParameterizedTest
    @CsvSource({"'', 0", "123456789, e3069283"})
    void matchesPublishedCheckValue(String content, String value) {
        byte[] bytes = ("<" + content + ">").getBytes(StandardCharsets.US_ASCII);
        assertEquals(value, Long.toHexString(Crc32c.of(bytes, 1, bytes.length - 2)));
    }
}
