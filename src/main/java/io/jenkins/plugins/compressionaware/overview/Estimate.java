package io.jenkins.plugins.compressionaware.overview;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.util.Collection;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/**
 * What core would have needed for the same bytes, told from blocks of real transfers that were given gzip 6, for this purpose or anyway: core gives
 * it to every byte, on one thread. Only agents that have such a sample count, on both sides. It is a lower bound for core: reading, the network and writing are left out.
 */
@ExportedBean(defaultVisibility = 2)
public final class Estimate {
    /** What an agent's sample must have, bytes: a few blocks. */
    static final long SAMPLE = 1 << 20;

    private static final int MICROS = 1000;

    /** That have a sample. */
    @Exported
    public final int agents;

    /** Raw bytes of the samples of all of them. */
    @Exported
    public final long sampleBytes;

    /** Raw bytes that those agents have moved. */
    @Exported
    public final long rawBytes;

    /** What that took, milliseconds. */
    @Exported
    public final long duration;

    /** What gzip 6 alone would have taken for it on one thread, milliseconds. */
    @Exported
    public final long coreDuration;

    /** What that took of both ends' processors, milliseconds; -1 if it is not known of all transfers. */
    @Exported
    public final long cpu;

    @Exported
    public final long wireBytes;

    @Exported
    public final long coreWireBytes;

    private Estimate(Collection<Sums> sampled) {
        agents = sampled.size();
        Sums all = sampled.stream().reduce(Sums.NONE, Sums::plus);
        sampleBytes = all.gzipBytes;
        rawBytes = all.rawBytes;
        duration = all.duration;
        wireBytes = all.wireBytes;
        cpu = all.cpuBytes < all.rawBytes ? -1 : all.cpu;
        // each agent with its own rate: they differ more than what they send
        coreDuration = Math.round(sampled.stream()
                .mapToDouble(one -> (double) one.rawBytes / one.gzipBytes * one.gzipMicros / MICROS)
                .sum());
        coreWireBytes = Math.round(sampled.stream()
                .mapToDouble(one -> (double) one.rawBytes / one.gzipBytes * one.gzipWireBytes)
                .sum());
    }

    /** Null if no agent has a sample. */
    @CheckForNull
    static Estimate of(Collection<Sums> agents) {
        Collection<Sums> sampled =
                agents.stream().filter(one -> one.gzipBytes >= SAMPLE).toList();
        return sampled.isEmpty() ? null : new Estimate(sampled);
    }

    /** For the page, as are all that follow. */
    public String getSample() {
        return Shown.bytes(sampleBytes);
    }

    public String getMoved() {
        return Shown.bytes(rawBytes);
    }

    public String getTime() {
        return Shown.seconds(duration);
    }

    public String getCoreTime() {
        return Shown.seconds(coreDuration);
    }

    public String getCpuTime() {
        return cpu < 0 ? "\u2013" : Shown.seconds(cpu);
    }

    public String getWire() {
        return Shown.bytes(wireBytes);
    }

    public String getCoreWire() {
        return Shown.bytes(coreWireBytes);
    }
}
