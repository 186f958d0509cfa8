package io.jenkins.plugins.compressionaware.engine.adaptive;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The codec level chosen for a block. The caller passes it back to {@link CodecSelector#onCompressed} with the result. */
@Restricted(NoExternalUse.class)
public record BlockDecision(BlockFamilyEstimates family, int rung, int rawLength, CodecLevel choice) {}
