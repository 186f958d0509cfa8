package io.jenkins.plugins.compressionaware.engine.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares headers with the bytes in docs/formats.md. */
class FrameHeaderTest {
    private static final String SKIPPABLE_FRAME = "5c2a4d18" + "20000000";
    private static final String GZIP_EXTRA_FIELD = "1f8b080400000000" + "00ff" + "2400" + "4341" + "2000";

    @ParameterizedTest
    @CsvSource({
        "NONE, 512, CRC32C, 01000000" + "0807060504030201" + "00020000" + "00010000" + "f8f7f6f5f4f3f2f1" + "56338a33",
        "GZIP, 512, CRC32C, 01010000" + "0807060504030201" + "00020000" + "00010000" + "f8f7f6f5f4f3f2f1" + "f6a1b46d",
        "LZ4, 512, XXHASH64, 01020100" + "0807060504030201" + "00020000" + "00010000" + "f8f7f6f5f4f3f2f1" + "199259a2",
        "ZSTD, 0, CRC32C, 01030000" + "0807060504030201" + "00000000" + "00010000" + "f8f7f6f5f4f3f2f1" + "b47ed41e",
    })
    void writesDocumentedBytes(Codec codec, int rawLength, Checksum checksum, String fields) throws Exception {
        FrameHeader header =
                new FrameHeader(codec, 0x0102030405060708L, rawLength, 0x100, checksum, 0xF1F2F3F4F5F6F7F8L);
        byte[] prefix = new byte[codec.envelope().prefixLength()];
        codec.envelope().write(header, prefix);
        String envelope = codec == Codec.GZIP ? GZIP_EXTRA_FIELD : SKIPPABLE_FRAME;
        assertEquals(envelope + fields, HexFormat.of().formatHex(prefix));
        assertEquals(header, codec.envelope().read(prefix));
    }

    /** One invalid field in a header whose own checksum is correct. */
    @ParameterizedTest
    @CsvSource({
        "unknown codec id, 1, 4",
        "unknown codec id, 1, 9",
        "unknown codec id, 1, -1",
        "unknown checksum id, 2, 2",
        "unknown checksum id, 2, -1",
        "frame header makes no sense, 3, 1",
        "frame header makes no sense, 3, -1"
    })
    void unknownValueIsRejected(String reason, int field, byte value) {
        FrameHeader header = new FrameHeader(Codec.NONE, 0, 1, 13, Checksum.CRC32C, 0);
        byte[] prefix = new byte[FrameEnvelope.SKIPPABLE_FRAME.prefixLength()];
        FrameEnvelope.SKIPPABLE_FRAME.write(header, prefix);
        int start = prefix.length - FrameHeader.LENGTH;
        prefix[start + field] = value;
        CRC32C crc = new CRC32C();
        crc.update(prefix, start, FrameHeader.LENGTH - 4);
        ByteBuffer.wrap(prefix).order(ByteOrder.LITTLE_ENDIAN).putInt(prefix.length - 4, (int) crc.getValue());
        CorruptFrameException thrown =
                assertThrows(CorruptFrameException.class, () -> FrameEnvelope.SKIPPABLE_FRAME.read(prefix));
        assertEquals(reason + (field < 3 ? " " + value : ""), thrown.getMessage());
    }

    /** The check value of the CRC catalogue, and values of the specification and the sanity test of xxHash. */
    @ParameterizedTest
    @CsvSource({
        "CRC32C, '', 0",
        "CRC32C, 123456789, e3069283",
        "XXHASH64, '', ef46db3751d8e999",
        "XXHASH64, a, d24ec4f1a98c6e5b",
        "XXHASH64, abc, 44bc2cf5ad770999",
        "XXHASH64, 123456789, 8cb841db40e6ae83"
    })
    void matchesPublishedValue(Checksum checksum, String content, String value) {
        byte[] bytes = ("<" + content + ">").getBytes(StandardCharsets.US_ASCII);
        assertEquals(value, Long.toHexString(checksum.of(bytes, 1, bytes.length - 2)));
    }
}
