package io.jenkins.plugins.compressionaware.packed;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Marks an artifact manager whose root is core's own, or a {@link PackedVirtualFile}. */
@Restricted(NoExternalUse.class)
public interface PackedRoots {}
