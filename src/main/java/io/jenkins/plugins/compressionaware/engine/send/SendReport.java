package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecAvailability;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneReport;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A sender's report on a finished transfer. Times are in nanoseconds, summed over the threads of a stage.
 *
 * @param usages       blocks and bytes of each codec and level, most bytes first
 * @param auto         whether each block's codec was chosen by measurements
 * @param unusable     codecs that should have been used but are unavailable on the sender's machine
 * @param entries      files, links and directories sent
 * @param contentBytes bytes of file contents
 * @param wireBytes    bytes written to the lanes
 * @param threads      number of compressing threads
 * @param readNanos    time to read files and pack them into a tar
 * @param writeNanos   time in writes to the lanes, blocked or not
 * @param direct       results of the direct lanes; null if none were tried
 * @param cpuNanos     CPU time of all threads of the transfer; -1 if the JVM does not measure it
 */
@Restricted(NoExternalUse.class)
public record SendReport(
        ArrayList<CodecUsage> usages,
        boolean auto,
        ArrayList<CodecAvailability.Unavailable> unusable,
        int entries,
        long contentBytes,
        long wireBytes,
        int threads,
        long readNanos,
        long writeNanos,
        DirectLaneReport direct,
        long cpuNanos)
        implements Serializable {
    public SendReport {
        // values come from another JVM and are not trusted: anything may be missing or repeated
        usages = usages == null ? new ArrayList<>() : usages;
        usages.removeIf(usage -> usage == null || usage.choice() == null);
        unusable = unusable == null ? new ArrayList<>() : unusable;
        unusable.removeIf(lacking -> lacking == null || lacking.codec() == null || lacking.reason() == null);
        unusable.subList(Math.min(unusable.size(), Codec.values().length), unusable.size())
                .clear();
    }

    public static final SendReport NOTHING =
            new SendReport(new ArrayList<>(), true, new ArrayList<>(), 0, 0, 0, 1, 0, 0, null, -1);

    /** Returns a report on frames that were sent from a frame file without change. */
    public static SendReport ofFrameFile(int entries, long contentBytes, long wireBytes, DirectLaneReport direct) {
        return new SendReport(
                new ArrayList<>(), false, new ArrayList<>(), entries, contentBytes, wireBytes, 0, 0, 0, direct, -1);
    }

    /**
     * Returns this report plus content that was sent earlier, by bootstrap calls.
     *
     * @param beforeBytes bytes of file contents
     */
    public SendReport plusEarlier(CodecUsage before, int beforeEntries, long beforeBytes) {
        Map<CodecLevel, CodecUsage> all = new HashMap<>();
        all.put(before.choice(), before);
        usages.forEach(usage -> all.merge(usage.choice(), usage, CodecUsage::plus));
        return new SendReport(
                CodecUsage.sortedByRawBytes(all),
                auto,
                unusable,
                entries + beforeEntries,
                contentBytes + beforeBytes,
                wireBytes + before.wireBytes(),
                threads,
                readNanos,
                writeNanos,
                direct,
                cpuNanos);
    }
}
