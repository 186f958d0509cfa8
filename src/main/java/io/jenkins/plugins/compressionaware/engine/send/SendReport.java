package io.jenkins.plugins.compressionaware.engine.send;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
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
 * @param zstdProblem  why zstd, which should have been used, does not work on the sender's machine; null if it works or was not needed
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
        @CheckForNull String zstdProblem,
        int entries,
        long contentBytes,
        long wireBytes,
        int threads,
        long readNanos,
        long writeNanos,
        DirectLaneReport direct,
        long cpuNanos)
        implements Serializable {
    private static final int MAX_PROBLEM_LENGTH = 1000;

    public SendReport {
        // values come from another JVM and are not trusted: anything may be missing or repeated
        usages = usages == null ? new ArrayList<>() : usages;
        usages.removeIf(usage -> usage == null || usage.choice() == null);
        if (zstdProblem != null && zstdProblem.length() > MAX_PROBLEM_LENGTH) {
            zstdProblem = zstdProblem.substring(0, MAX_PROBLEM_LENGTH);
        }
    }

    public static final SendReport NOTHING = new SendReport(new ArrayList<>(), true, null, 0, 0, 0, 1, 0, 0, null, -1);

    /** Returns a report on frames that were sent from a frame file without change. */
    public static SendReport ofFrameFile(int entries, long contentBytes, long wireBytes, DirectLaneReport direct) {
        return new SendReport(new ArrayList<>(), false, null, entries, contentBytes, wireBytes, 0, 0, 0, direct, -1);
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
                zstdProblem,
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
