package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.codec.BlockEncoder;
import io.jenkins.plugins.compressionaware.engine.run.JvmLimits;

/** Compresses on the controller. All transfers together use half of the processors, and take turns after each block. Waits are not interruptible. */
record PackingEncoder(BlockEncoder encoder) implements BlockEncoder {
    @Override
    public int maxEncodedLength(int rawLength) {
        return encoder.maxEncodedLength(rawLength);
    }

    @Override
    public int encode(byte[] raw, int rawLength, byte[] target, int targetOffset) {
        JvmLimits.PACKING.acquireUninterruptibly();
        try {
            return encoder.encode(raw, rawLength, target, targetOffset);
        } finally {
            JvmLimits.PACKING.release();
        }
    }

    @Override
    public void close() {
        encoder.close();
    }
}
