package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;

/** Uses one codec and level for all blocks. */
record FixedPolicy(CodecLevel choice) implements CompressionPolicy {
    @Override
    public BlockPlan planBlock(byte[] block, int length, String fileName) {
        return new BlockPlan(choice, (wireLength, nanos, cpuNanos) -> {});
    }

    // a series of gzip members must end with a gzip member; otherwise gzip -d would report an error
    @Override
    public CodecLevel endFrameChoice() {
        return choice;
    }
}
