package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Launcher;
import hudson.model.Item;
import hudson.model.ItemGroup;
import hudson.model.Job;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The settings for one archive call. The step's choice beats the job's, which beats that of the nearest folder, which beats the global one; a
 * locked global choice beats all.
 *
 * @param chosenBy who chose the codec, for the build log; null if only the administrator did
 */
@Restricted(NoExternalUse.class)
public record ResolvedTransfer(
        TransferSettings settings, @CheckForNull String chosenBy) {
    /** @param launcher the one given to the archive call; null if there is none */
    public static ResolvedTransfer of(GlobalPolicy global, Job<?, ?> job, @CheckForNull Launcher launcher) {
        if (global.isLocked()) {
            return new ResolvedTransfer(global.settings(), null);
        }
        TransferChoice choice = ChoosingLauncher.choiceIn(launcher);
        String by = choice.codec() == null ? null : Messages.ResolvedTransfer_step();
        // the parent of a Matrix configuration is a job as well
        for (Item item = job; item != null; item = parent(item)) {
            ArtifactTransferProperty property =
                    item instanceof Job<?, ?> j ? j.getProperty(ArtifactTransferProperty.class) : null;
            TransferChoice outer = property != null ? property.choice() : FolderChoice.of(item);
            if (outer == null) {
                continue;
            }
            if (choice.codec() == null && outer.codec() != null) {
                by = item instanceof Job
                        ? Messages.ResolvedTransfer_job()
                        : Messages.ResolvedTransfer_folder(item.getFullName());
            }
            choice = choice.within(outer);
        }
        return new ResolvedTransfer(global.settings().with(choice), by);
    }

    private static Item parent(Item item) {
        ItemGroup<?> parent = item.getParent();
        return parent instanceof Item i ? i : null;
    }
}
