package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.staging.UnchangedFiles;
import jenkins.model.ArtifactManagerConfiguration;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The administrator's decisions. */
@Restricted(NoExternalUse.class)
public interface GlobalPolicy {
    TransferSettings settings();

    /** Whether choices of folders, jobs and steps are ignored. */
    boolean isLocked();

    Exclusions exclusions();

    /** Whether {@code copyArtifacts} in a Pipeline fetches as {@code fetchArtifacts} does. */
    boolean answersCopyArtifacts();

    /** How unchanged files of builds that are over share the disk; null if they do not. */
    @CheckForNull
    UnchangedFiles.Sharing sharing();

    /** The policy in force: that of the first configured manager that has one, or the defaults if there is none any more. */
    static GlobalPolicy configured() {
        return ArtifactManagerConfiguration.get().getArtifactManagerFactories().stream()
                .filter(GlobalPolicy.class::isInstance)
                .map(GlobalPolicy.class::cast)
                .findFirst()
                .orElse(Defaults.INSTANCE);
    }

    /** For builds that were given to the plugin before it was taken out of the list of managers. */
    enum Defaults implements GlobalPolicy {
        INSTANCE;

        @Override
        public TransferSettings settings() {
            return TransferSettings.DEFAULTS;
        }

        @Override
        public boolean isLocked() {
            return false;
        }

        @Override
        public Exclusions exclusions() {
            return new Exclusions("", "");
        }

        @Override
        public boolean answersCopyArtifacts() {
            return false;
        }

        @Override
        public UnchangedFiles.Sharing sharing() {
            return null;
        }
    }
}
