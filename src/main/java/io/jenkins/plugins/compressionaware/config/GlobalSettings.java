package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.ExtensionList;
import hudson.ExtensionPoint;
import io.jenkins.plugins.compressionaware.engine.staging.FileDeduplicator;
import io.jenkins.plugins.compressionaware.store.S3Store;
import java.util.List;
import jenkins.model.ArtifactManagerConfiguration;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The system settings, which belong to the plugin's configured manager. */
@Restricted(NoExternalUse.class)
public interface GlobalSettings {
    /** Returns the settings while no manager is configured. An extension point because the manager's package depends on this one. */
    interface Defaults extends ExtensionPoint {
        /** Returns the last settings with which a build started; after a restart, default values without reuse. */
        GlobalSettings lastOrDefaults();
    }

    /** Returns the settings of this plugin's first configured manager. If the manager was removed, running builds keep its settings. */
    static GlobalSettings get() {
        return ArtifactManagerConfiguration.get().getArtifactManagerFactories().stream()
                .filter(GlobalSettings.class::isInstance)
                .map(GlobalSettings.class::cast)
                .findFirst()
                .orElseGet(() -> ExtensionList.lookupSingleton(Defaults.class).lastOrDefaults());
    }

    TransferSettings settings();

    Exclusions exclusions();

    /** Returns the method of deduplicating unchanged files on the disk; null if switched off. */
    @CheckForNull
    FileDeduplicator.Method deduplication();

    /** Returns the bucket to which agents send artifacts and stashes; null if the controller stores them. */
    @CheckForNull
    S3Store getStore();

    /** Returns the further stores, each with a name by which folders choose it. */
    List<S3Store> getStores();

    /** Returns whether the settings of folders, jobs and steps are ignored. */
    boolean isLockOverrides();

    /** Returns whether {@code copyArtifacts} in a Pipeline uses one transfer, as {@code fetchArtifacts} does. */
    boolean isAccelerateCopyArtifacts();
}
