package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A receiver's measurements. A report from an agent is not trusted: counts and warnings are limited.
 *
 * @param figures  counts and times; decoding is summed over up to {@link Receiver#DECODERS} threads
 * @param warnings entries that could not be created exactly as sent; at most one warning per {@link ExtractionWarning.Type}
 * @param writers  how many files were written in parallel because the disk was slow; 0 if it was not slow
 */
@Restricted(NoExternalUse.class)
public record ReceiveReport(Figures figures, List<ExtractionWarning> warnings, int writers) implements Serializable {
    /** Creates a report without warnings. */
    public static ReceiveReport of(Figures figures) {
        return new ReceiveReport(figures, List.of(), 0);
    }

    public ReceiveReport {
        figures = figures == null ? Figures.NONE : figures;
        // copied into a list that Remoting may send; an agent's list may be null, too long, or contain null
        List<ExtractionWarning> received = warnings == null ? List.of() : warnings;
        warnings =
                new ArrayList<>(received.subList(0, Math.min(received.size(), ExtractionWarning.Type.values().length)));
        warnings.removeIf(warning -> warning == null || warning.type() == null);
    }

    /** Returns a copy with the counts of the sender, limited by the size of the tar, for a receiver that does not unpack the tar. */
    public ReceiveReport withSenderCounts(Figures sent) {
        return with(figures.bounded(sent.entries(), sent.contentBytes(), figures.rawBytes(), figures.wireBytes()));
    }

    /** Returns a copy of an agent's report on a frame file, with the known sizes of that file. Counts are limited by the size of the tar. */
    public ReceiveReport withKnownSizes(long fileRawBytes, long fileWireBytes) {
        return with(figures.bounded(figures.entries(), figures.contentBytes(), fileRawBytes, fileWireBytes));
    }

    private ReceiveReport with(Figures bounded) {
        return new ReceiveReport(
                bounded,
                warnings.stream()
                        .map(warning -> warning.limited(bounded.entries()))
                        .toList(),
                writers);
    }

    /** Returns the report on this and a later part of one transfer. */
    public ReceiveReport plus(ReceiveReport later) {
        return new ReceiveReport(figures.plus(later.figures), warnings, Math.max(writers, later.writers));
    }
}
