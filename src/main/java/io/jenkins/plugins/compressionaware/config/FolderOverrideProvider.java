package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.ExtensionList;
import hudson.ExtensionPoint;
import hudson.model.Item;
import java.util.Objects;

/** Looks up the choice for one type of folder. An extension point, since the folders plugin may be missing. */
interface FolderOverrideProvider extends ExtensionPoint {
    /** The folder's own choice; null if it has none or is not of this type. */
    @CheckForNull
    TransferOverride choiceOf(Item folder);

    @CheckForNull
    static TransferOverride of(Item folder) {
        return ExtensionList.lookup(FolderOverrideProvider.class).stream()
                .map(kind -> kind.choiceOf(folder))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
