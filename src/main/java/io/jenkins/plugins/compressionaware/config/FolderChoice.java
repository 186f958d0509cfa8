package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.ExtensionList;
import hudson.ExtensionPoint;
import hudson.model.Item;
import java.util.Objects;

/** Knows what is chosen for a kind of folder. An extension point, since folders are a plugin that may be missing. */
interface FolderChoice extends ExtensionPoint {
    /** The choice of this folder itself; null if there is none, or it is no such folder. */
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
