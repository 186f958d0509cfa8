package io.jenkins.plugins.compressionaware.codec;

import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Reads what {@link GzipEncoder} writes. The member's CRC-32 is for other tools: our own checksum covers the same bytes. */
final class GzipDecoder implements BlockDecoder {
    private final Inflater inflater = new Inflater(true);

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
        } catch (DataFormatException e) {
            throw new CorruptFrameException("gzip member is damaged", e);
        }
    }

    @Override
    public void close() {
        inflater.end();
    }
}
