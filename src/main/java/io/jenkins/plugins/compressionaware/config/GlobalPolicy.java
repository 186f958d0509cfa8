package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.staging.UnchangedFiles;
import jenkins.model.ArtifactManagerConfiguration;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The administrator's decisions. The defaults hold for builds that began before the plugin was taken out of the list of managers. */
@Restricted(NoExternalUse.class)
public interface GlobalPolicy {
    default TransferSettings settings() {
        return TransferSettings.DEFAULTS;
    }

    /** Whether choices of folders, jobs and steps are ignored. */
    default boolean isLocked() {
        return false;
    }

    default Exclusions exclusions() {
        return new Exclusions("", "");
    }

    /** Whether {@code copyArtifacts} in a Pipeline fetches as {@code fetchArtifacts} does. */
    default boolean answersCopyArtifacts() {
        return false;
    }

    /** How unchanged files of builds that are over share the disk; null if they do not. */
    @CheckForNull
    default UnchangedFiles.Sharing sharing() {
        return null;
    }

    /** The policy in force: that of the first configured manager that has one. */
    static GlobalPolicy configured() {
        return ArtifactManagerConfiguration.get().getArtifactManagerFactories().stream()
                .filter(GlobalPolicy.class::isInstance)
                .map(GlobalPolicy.class::cast)
                .findFirst()
                .orElse(new GlobalPolicy() {});
    }
}
