package io.jenkins.plugins.compressionaware.engine.adaptive;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The choice for one block, which the caller hands back with the result. */
@Restricted(NoExternalUse.class)
public record BlockDecision(BlockFamilyEstimates family, int rung, int rawLength, CodecLevel choice) {}
