package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.http.DirectLaneReport;
import java.io.Serializable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** An agent's report on a downloaded frame file; {@code direct} is null if no direct lane was used. */
@Restricted(NoExternalUse.class)
public record DownloadReport(ReceiveReport received, DirectLaneReport direct) implements Serializable {}
