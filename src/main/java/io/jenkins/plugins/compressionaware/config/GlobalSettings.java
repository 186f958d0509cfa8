package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.staging.FileDeduplicator;
import jenkins.model.ArtifactManagerConfiguration;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The administrator's settings for all jobs. Every method has the default here. */
@Restricted(NoExternalUse.class)
public interface GlobalSettings {
    /** The policy of the first configured manager that has one. The defaults apply to builds that began before the manager was removed. */
    static GlobalSettings get() {
        return ArtifactManagerConfiguration.get().getArtifactManagerFactories().stream()
                .filter(GlobalSettings.class::isInstance)
                .map(GlobalSettings.class::cast)
                .findFirst()
                .orElseGet(() -> new GlobalSettings() {});
    }

    default TransferSettings settings() {
        return TransferSettings.DEFAULTS;
    }

    default Exclusions exclusions() {
        return new Exclusions("", "");
    }

    /** How unchanged files of finished builds share the disk; null if each build has its own. */
    @CheckForNull
    default FileDeduplicator.Method sharing() {
        return null;
    }

    /** Whether choices of folders, jobs and steps are ignored. */
    default boolean isLockOverrides() {
        return false;
    }

    /** Whether {@code copyArtifacts} in a Pipeline fetches as {@code fetchArtifacts} does. */
    default boolean isAccelerateCopyArtifacts() {
        return false;
    }
}
