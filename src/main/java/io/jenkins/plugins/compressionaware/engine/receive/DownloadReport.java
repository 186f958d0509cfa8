package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneReport;
import java.io.Serializable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The report of an agent that has fetched a stored file.
 *
 * @param direct results of the direct lanes; null if none were tried
 */
@Restricted(NoExternalUse.class)
public record DownloadReport(ReceiveReport received, DirectLaneReport direct) implements Serializable {
    private static final long serialVersionUID = 1;
}
