package io.jenkins.plugins.compressionaware.engine.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Decodes bodies written by {@link GzipEncoder}. */
final class GzipDecoder implements BlockDecoder {
    private final Inflater inflater = new Inflater(true);
    private final CRC32 crc = new CRC32();

    @Override
    public void decode(byte[] body, int bodyOffset, int bodyLength, byte[] raw, int rawLength)
            throws CorruptFrameException {
        if (bodyLength < GzipEncoder.TRAILER) {
            throw new CorruptFrameException("gzip member is cut short");
        }
        inflater.reset();
        inflater.setInput(body, bodyOffset, bodyLength - GzipEncoder.TRAILER);
        try {
            int length = 0;
            while (length < rawLength) {
                int n = inflater.inflate(raw, length, rawLength - length);
                if (n == 0) {
                    throw new CorruptFrameException("gzip member holds " + length + " bytes instead of " + rawLength);
                }
                length += n;
            }
            if (!inflater.finished() && inflater.inflate(new byte[1]) != 0) {
                throw new CorruptFrameException("gzip member holds more than " + rawLength + " bytes");
            }
            if (!inflater.finished()) {
                throw new CorruptFrameException("gzip member does not end");
            }
            if (inflater.getRemaining() > 0) {
                throw new CorruptFrameException("gzip member has bytes between its end and its trailer");
            }
        } catch (DataFormatException e) {
            throw new CorruptFrameException("gzip member is damaged", e);
        }
        verifyTrailer(body, bodyOffset + bodyLength - GzipEncoder.TRAILER, raw, rawLength);
    }

    /** Verifies CRC-32 and length, as any reader of gzip does. Inflating takes much longer. */
    private void verifyTrailer(byte[] body, int offset, byte[] raw, int rawLength) throws CorruptFrameException {
        ByteBuffer trailer = ByteBuffer.wrap(body, offset, GzipEncoder.TRAILER).order(ByteOrder.LITTLE_ENDIAN);
        crc.reset();
        crc.update(raw, 0, rawLength);
        if (trailer.getInt() != (int) crc.getValue() || trailer.getInt() != rawLength) {
            throw new CorruptFrameException("gzip member has a wrong checksum or length");
        }
    }

    @Override
    public void close() {
        inflater.end();
    }
}
