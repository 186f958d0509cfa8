package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.BlockDecision;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecSelector;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecAvailability;
import java.util.ArrayList;
import java.util.EnumSet;

/** Gives each block what the {@link CodecSelector} chooses: gzip or stored if zstd does not work here or has not been sent. */
final class AutoPolicy implements CompressionPolicy {
    private final CodecSelector selector;
    private final boolean shared;
    private final boolean zstd;
    private final ArrayList<CodecAvailability.Unavailable> unusable;

    /**
     * @param usable   codecs that work here
     * @param unusable codecs that do not
     */
    AutoPolicy(
            CompressionMode.Auto bounds,
            EnumSet<Codec> usable,
            ArrayList<CodecAvailability.Unavailable> unusable,
            int threads,
            SendTarget route) {
        this.unusable = unusable;
        zstd = usable.contains(Codec.ZSTD);
        shared = route.sharedProcessors() > 0;
        selector = new CodecSelector(bounds.minLevel(), bounds.maxLevel(), threads, usable);
        if (route.roundTripNanos() > 0) {
            selector.roundTrip(route.roundTripNanos());
        }
        if (route.uplinkNanosPerByte() > 0) {
            selector.link(route.uplinkNanosPerByte());
        }
        selector.sharedProcessors(route.sharedProcessors());
        selector.lanes(route.lanes().size(), false);
    }

    @Override
    public Plan planBlock(byte[] block, int length, String fileName) {
        BlockDecision decision = selector.choose(block, length, fileName);
        return new Plan(
                decision.choice(),
                (wireLength, nanos, cpuNanos) ->
                        selector.onCompressed(decision, wireLength, shared && cpuNanos >= 0 ? cpuNanos : nanos));
    }

    @Override
    public Checksum checksum(Checksum wanted) {
        return wanted == Checksum.XXH64 && !zstd ? Checksum.CRC32C : wanted.orFallback();
    }

    @Override
    public void lanes(int count, boolean isDirect) {
        selector.lanes(count, isDirect);
    }

    @Override
    public void read(int rawLength, long nanos) {
        selector.onRead(rawLength, nanos);
    }

    @Override
    public void sent(LaneWrite write) {
        selector.onSent(write);
    }

    @Override
    public ArrayList<CodecAvailability.Unavailable> unusable() {
        return unusable;
    }
}
