package io.jenkins.plugins.compressionaware.engine.send;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.Nullable;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneReport;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A sender's report on a finished transfer.
 *
 * @param figures     counts and times; the bytes of the tar are in the usages
 * @param usages      blocks and bytes of each codec and level, most bytes first
 * @param auto        whether each block's codec was chosen by measurements
 * @param zstdProblem why zstd, which should have been used, does not work on the sender's machine; null if it works or was not needed
 * @param threads     number of compressing threads
 * @param direct      results of the direct lanes; null if none were tried
 */
@Restricted(NoExternalUse.class)
public record SendReport(
        Figures figures,
        ArrayList<CodecUsage> usages,
        boolean auto,
        @CheckForNull String zstdProblem,
        int threads,
        @Nullable DirectLaneReport direct)
        implements Serializable {
    private static final int MAX_PROBLEM_LENGTH = 1000;

    public static final SendReport NOTHING = new SendReport(Figures.NONE, new ArrayList<>(), true, null, 1, null);

    public SendReport {
        // values come from another JVM and are not trusted: anything may be missing or repeated
        figures = figures == null ? Figures.NONE : figures;
        usages = usages == null ? new ArrayList<>() : usages;
        usages.removeIf(usage -> usage == null || usage.choice() == null);
        if (zstdProblem != null && zstdProblem.length() > MAX_PROBLEM_LENGTH) {
            zstdProblem = zstdProblem.substring(0, MAX_PROBLEM_LENGTH);
        }
    }

    /** Returns a report on frames that were sent from a frame file without change, by what was received of them. */
    public static SendReport ofFrameFile(Figures received, @CheckForNull DirectLaneReport direct) {
        Figures sent = Figures.counts(received.entries(), received.contentBytes(), 0, received.wireBytes(), -1);
        return new SendReport(sent, new ArrayList<>(), false, null, 0, direct);
    }

    /** Returns this report plus content that was not sent in its frames: by bootstrap calls, or as objects of their own. */
    public SendReport plus(CodecUsage other, int entries, long contentBytes) {
        Map<CodecLevel, CodecUsage> all = new HashMap<>();
        all.put(other.choice(), other);
        usages.forEach(usage -> all.merge(usage.choice(), usage, CodecUsage::plus));
        Figures others = Figures.counts(entries, contentBytes, 0, other.wireBytes(), 0);
        return new SendReport(
                figures.plus(others), CodecUsage.sortedByRawBytes(all), auto, zstdProblem, threads, direct);
    }
}
