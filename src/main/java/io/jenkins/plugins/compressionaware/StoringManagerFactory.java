package io.jenkins.plugins.compressionaware;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.store.S3Store;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import jenkins.model.ArtifactManagerFactory;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.DataBoundSetter;

/** Holds the settings of stores. */
@Restricted(NoExternalUse.class)
public abstract class StoringManagerFactory extends ArtifactManagerFactory implements GlobalSettings {
    private S3Store store;
    private List<S3Store> stores;

    @CheckForNull
    @Override
    public S3Store getStore() {
        return store;
    }

    @DataBoundSetter
    public void setStore(@CheckForNull S3Store store) {
        this.store = store;
    }

    @Override
    public List<S3Store> getStores() {
        return stores == null ? List.of() : Collections.unmodifiableList(stores);
    }

    /** @throws IllegalArgumentException if a store has no name, or the name of another */
    @DataBoundSetter
    public void setStores(@CheckForNull List<S3Store> stores) {
        this.stores = stores == null || stores.isEmpty() ? null : new ArrayList<>(S3Store.requireNames(stores));
    }
}
