package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.ExtensionList;
import hudson.ExtensionPoint;
import hudson.model.Item;

/** Finds the transfer settings of a folder. This is an extension point because the Folders plugin is optional. */
interface FolderOverrideProvider extends ExtensionPoint {
    /** Returns the folder's own settings; null if the folder has none or has another type. */
    @CheckForNull
    TransferOverride choiceOf(Item folder);

    @CheckForNull
    static TransferOverride of(Item folder) {
        return ExtensionList.lookup(FolderOverrideProvider.class).stream()
                .findFirst()
                .map(provider -> provider.choiceOf(folder))
                .orElse(null);
    }
}
