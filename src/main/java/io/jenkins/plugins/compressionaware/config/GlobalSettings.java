package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.staging.FileDeduplicator;
import jenkins.model.ArtifactManagerConfiguration;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The system settings. The methods of this interface return the defaults, which the plugin's configured manager overrides. */
@Restricted(NoExternalUse.class)
public interface GlobalSettings {
    /** Returns the settings of this plugin's first configured manager. If the manager was removed, running builds use the defaults. */
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

    /** Returns the method of deduplicating unchanged files on the disk; null if switched off. */
    @CheckForNull
    default FileDeduplicator.Method deduplication() {
        return null;
    }

    /** Returns whether the settings of folders, jobs and steps are ignored. */
    default boolean isLockOverrides() {
        return false;
    }

    /** Returns whether {@code copyArtifacts} in a Pipeline uses one transfer, as {@code fetchArtifacts} does. */
    default boolean isAccelerateCopyArtifacts() {
        return false;
    }
}
