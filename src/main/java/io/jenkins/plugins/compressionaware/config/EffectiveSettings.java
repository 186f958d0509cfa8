package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Launcher;
import hudson.model.Item;
import hudson.model.Job;
import io.jenkins.plugins.compressionaware.store.S3Store;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The settings that apply to one archive call. Precedence: step, job, nearest folder, system setting. If overrides are locked, only the system setting applies.
 * A reuse that any of them forbids stays forbidden.
 *
 * @param store        the bucket to which agents send artifacts and stashes; null if the controller stores them, or if there is a problem
 * @param storeProblem localized reason why nothing can be stored for an agent; null if there is none
 * @param overriddenBy localized name of the folder, job or step that chose the codec, for the build log; null for the system setting
 */
@Restricted(NoExternalUse.class)
public record EffectiveSettings(
        TransferSettings settings,
        @CheckForNull S3Store store,
        @CheckForNull String storeProblem,
        @CheckForNull String overriddenBy) {
    /**
     * Resolves the settings for an archive call of a job.
     *
     * @param launcher the launcher passed to the archive call; null if there is none
     */
    public static EffectiveSettings of(GlobalSettings global, Job<?, ?> job, @CheckForNull Launcher launcher) {
        TransferOverride choice = OverrideCarryingLauncher.overrideIn(launcher);
        String by = choice.codec == null ? null : Messages.EffectiveSettings_step();
        String storeBy = null;
        // the parent of a Matrix configuration is a job as well
        for (Item item = job; item != null; item = item.getParent() instanceof Item parent ? parent : null) {
            ArtifactTransferProperty property =
                    item instanceof Job<?, ?> j ? j.getProperty(ArtifactTransferProperty.class) : null;
            TransferOverride outer = property != null ? property.choice : FolderOverrideProvider.of(item);
            if (outer == null) {
                continue;
            }
            if (choice.codec == null && outer.codec != null) {
                by = item instanceof Job
                        ? Messages.EffectiveSettings_job()
                        : Messages.EffectiveSettings_folder(item.getFullName());
            }
            storeBy = choice.store == null ? item.getFullName() : storeBy;
            choice = choice.inheritFrom(outer);
        }
        boolean locked = global.isLockOverrides();
        TransferOverride allowed = locked ? choice.locked() : choice;
        S3Store store = TransferOverride.CONTROLLER.equals(allowed.store) ? null : global.getStore();
        String problem = null;
        if (allowed.store != null && !EnumSetting.STORE.values.contains(allowed.store)) {
            store = global.getStores().stream()
                    .filter(each -> allowed.store.equals(each.getName()))
                    .findFirst()
                    .orElse(null);
            problem = store == null ? Messages.FolderArtifactTransferProperty_noStore(storeBy, allowed.store) : null;
        }
        return new EffectiveSettings(global.settings().with(allowed), store, problem, locked ? null : by);
    }

    /** Returns whether Jenkins itself may transfer the files if the agent has other classes, because it knows neither a store nor direct HTTP transfer. */
    public boolean mayFallBack() {
        return store == null && settings.directLane() != TransferSettings.DirectLane.REQUIRED;
    }
}
