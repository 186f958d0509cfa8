package io.jenkins.plugins.compressionaware.engine.delta;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Builds valid and invalid deltas. */
final class DeltaBuilder {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);
    private final byte[] hash;

    DeltaBuilder(long size, byte[] hash) throws IOException {
        this.hash = hash;
        Varint.write(out, size);
    }

    DeltaBuilder chunks(long first, long count) throws IOException {
        Varint.write(out, count << 1 | 1);
        Varint.write(out, first);
        return this;
    }

    DeltaBuilder bytes(byte[] literal) throws IOException {
        Varint.write(out, (long) literal.length << 1);
        out.write(literal);
        return this;
    }

    byte[] get() throws IOException {
        out.write(hash);
        return bytes.toByteArray();
    }
}
