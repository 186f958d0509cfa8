package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.BlockDecision;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecSelector;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;

/** Lets a {@link CodecSelector} choose codec and level of each block; lz4, gzip or uncompressed if zstd is unavailable on this machine. */
final class AutoPolicy implements CompressionPolicy {
    private final CodecSelector selector;
    private final boolean shared;

    /**
     * @param zstd whether both ends can use zstd
     * @param lz4  whether both ends can use lz4
     */
    AutoPolicy(CompressionMode.Auto bounds, boolean zstd, boolean lz4, int threads, SendTarget target) {
        shared = target.sharedProcessors() > 0;
        selector = new CodecSelector(bounds.minLevel(), bounds.maxLevel(), threads, zstd, lz4);
        if (target.roundTripNanos() > 0) {
            selector.roundTrip(target.roundTripNanos());
        }
        if (target.uplinkNanosPerByte() > 0) {
            selector.link(target.uplinkNanosPerByte());
        }
        selector.sharedProcessors(target.sharedProcessors());
        selector.lanes(target.lanes().size(), false);
    }

    @Override
    public BlockPlan planBlock(byte[] block, int length, String fileName) {
        BlockDecision decision = selector.choose(block, length, fileName);
        return new BlockPlan(
                decision.choice(),
                (wireLength, nanos, cpuNanos) ->
                        selector.onCompressed(decision, wireLength, shared && cpuNanos >= 0 ? cpuNanos : nanos));
    }

    @Override
    public void lanes(int count, boolean isDirect) {
        selector.lanes(count, isDirect);
    }

    @Override
    public void sent(LaneWrite write) {
        selector.onSent(write);
    }
}
