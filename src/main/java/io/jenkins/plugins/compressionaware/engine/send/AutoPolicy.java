package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.Decision;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.adaptive.Selector;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecProbe;
import java.util.ArrayList;
import java.util.EnumSet;

/** Gives each block what the {@link Selector} chooses: gzip or stored if zstd does not work here or has not been sent. */
final class AutoPolicy implements Policy {
    private final Selector selector;
    private final boolean shared;
    private final boolean zstd;
    private final ArrayList<CodecProbe.Unusable> unusable;

    /**
     * @param usable   codecs that work here
     * @param unusable codecs that do not
     */
    AutoPolicy(
            Compression.Auto bounds,
            EnumSet<Codec> usable,
            ArrayList<CodecProbe.Unusable> unusable,
            int threads,
            Route route) {
        this.unusable = unusable;
        zstd = usable.contains(Codec.ZSTD);
        shared = route.sharedProcessors() > 0;
        selector = new Selector(bounds.minLevel(), bounds.maxLevel(), threads, usable);
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
    public Plan plan(byte[] block, int length, String fileName) {
        Decision decision = selector.choose(block, length, fileName);
        return new Plan(
                decision.choice(),
                (wireLength, nanos, cpuNanos) ->
                        selector.compressed(decision, wireLength, shared && cpuNanos >= 0 ? cpuNanos : nanos));
    }

    @Override
    public Checksum checksum(Checksum wanted) {
        return wanted == Checksum.XXH64 && !zstd ? Checksum.CRC32C : wanted.orCrc32c();
    }

    @Override
    public void lanes(int count, boolean isDirect) {
        selector.lanes(count, isDirect);
    }

    @Override
    public void read(int rawLength, long nanos) {
        selector.read(rawLength, nanos);
    }

    @Override
    public void sent(LaneWrite write) {
        selector.sent(write);
    }

    @Override
    public ArrayList<CodecProbe.Unusable> unusable() {
        return unusable;
    }
}
