package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.CodecAvailability;
import java.util.ArrayList;

/** Uses one codec and level for all blocks, or a replacement if the codec is unavailable on this machine. */
final class FixedPolicy implements CompressionPolicy {
    private final CodecLevel choice;
    private final ArrayList<CodecAvailability.Unavailable> unusable = new ArrayList<>();

    FixedPolicy(CompressionMode.Fixed wanted) {
        choice = wanted.available(unusable::add);
    }

    @Override
    public BlockPlan planBlock(byte[] block, int length, String fileName) {
        return new BlockPlan(choice, (wireLength, nanos, cpuNanos) -> {});
    }

    // a series of gzip members must end with a gzip member; otherwise gzip -d would report an error
    @Override
    public CodecLevel endFrameChoice() {
        return choice;
    }

    @Override
    public ArrayList<CodecAvailability.Unavailable> unusable() {
        return unusable;
    }
}
