package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.ExtensionList;
import hudson.ExtensionPoint;
import hudson.model.Item;
import java.util.Objects;

/** Looks up the choice for one type of folder. An extension point, since the folders plugin may be missing. */
interface FolderChoice extends ExtensionPoint {
    /** The folder's own choice; null if it has none or is not of this type. */
    @CheckForNull
    TransferChoice choiceOf(Item folder);

    @CheckForNull
    static TransferChoice of(Item folder) {
        return ExtensionList.lookup(FolderChoice.class).stream()
                .map(kind -> kind.choiceOf(folder))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
