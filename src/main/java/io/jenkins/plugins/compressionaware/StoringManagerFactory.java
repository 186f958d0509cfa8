package io.jenkins.plugins.compressionaware;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.store.S3Store;
import jenkins.model.ArtifactManagerFactory;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.DataBoundSetter;

/** Holds the setting of a store. */
@Restricted(NoExternalUse.class)
public abstract class StoringManagerFactory extends ArtifactManagerFactory implements GlobalSettings {
    private S3Store store;

    @CheckForNull
    @Override
    public S3Store getStore() {
        return store;
    }

    @DataBoundSetter
    public void setStore(@CheckForNull S3Store store) {
        this.store = store;
    }
}
