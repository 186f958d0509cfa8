package io.jenkins.plugins.compressionaware.config;

import com.cloudbees.hudson.plugins.folder.AbstractFolder;
import com.cloudbees.hudson.plugins.folder.AbstractFolderProperty;
import com.cloudbees.hudson.plugins.folder.AbstractFolderPropertyDescriptor;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Extension;
import hudson.Util;
import hudson.model.Item;
import hudson.util.ListBoxModel;
import net.sf.json.JSONObject;
import org.jenkinsci.Symbol;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.DataBoundConstructor;
import org.kohsuke.stapler.DataBoundSetter;
import org.kohsuke.stapler.StaplerRequest2;

/** The transfer settings for all jobs in a folder or multibranch project, including its subfolders. */
@Restricted(NoExternalUse.class)
public final class FolderArtifactTransferProperty extends AbstractFolderProperty<AbstractFolder<?>> {
    private TransferOverride choice = TransferOverride.NONE;

    @DataBoundConstructor
    public FolderArtifactTransferProperty() {}

    /** Returns one of {@link EnumSetting#CODEC}, or a value saved by a newer version; null if inherited. */
    @CheckForNull
    public String getCodec() {
        return choice.codec;
    }

    @DataBoundSetter
    public void setCodec(@CheckForNull String codec) {
        choice = choice.withCodec(codec);
    }

    @CheckForNull
    public Integer getLevel() {
        return choice.level;
    }

    @DataBoundSetter
    public void setLevel(@CheckForNull Integer level) {
        choice = choice.withLevel(level);
    }

    @CheckForNull
    public String getReuse() {
        return choice.reuse;
    }

    @DataBoundSetter
    public void setReuse(@CheckForNull String reuse) {
        choice = choice.withReuse(reuse);
    }

    /** Returns null, because only scripts use this former name of {@link #getReuse}. */
    @CheckForNull
    public String getDelta() {
        return null;
    }

    @DataBoundSetter
    public void setDelta(@CheckForNull String delta) {
        setReuse(delta);
    }

    /** A configuration that was not saved by the form may lack the field. */
    private Object readResolve() {
        choice = choice == null ? TransferOverride.NONE : choice;
        return this;
    }

    @CheckForNull
    public String getStorage() {
        return choice.storage;
    }

    @DataBoundSetter
    public void setStorage(@CheckForNull String storage) {
        choice = choice.withStorage(storage);
    }

    /** Returns one of {@link EnumSetting#STORE}, or the name of a store, which need not exist; null if inherited. */
    @CheckForNull
    public String getStore() {
        return choice.store;
    }

    @DataBoundSetter
    public void setStore(@CheckForNull String store) {
        choice = choice.withStore(store);
    }

    @Extension(optional = true)
    @Symbol("artifactTransfer")
    public static final class DescriptorImpl extends AbstractFolderPropertyDescriptor
            implements OverrideFormValidation, FolderOverrideProvider {
        public DescriptorImpl() {
            HELP.forEach(field -> addHelpFileRedirect(field, ArtifactTransferProperty.class, field));
        }

        @NonNull
        @Override
        public String getDisplayName() {
            return Messages.ArtifactTransfer_displayName();
        }

        @Override
        public AbstractFolderProperty<?> newInstance(StaplerRequest2 request, JSONObject form) throws FormException {
            if (!form.optBoolean("specified")) {
                return null;
            }
            return OverrideFormValidation.asFormException(() -> super.newInstance(request, form));
        }

        /** Lists the values of the store. The saved one is selected, and listed even if no such store exists; it is null if inherited. */
        public ListBoxModel listStores(@CheckForNull String current) {
            ListBoxModel items = EnumSetting.STORE.toListBox(null, true);
            GlobalSettings.get().getStores().forEach(store -> items.add(store.getName()));
            String selected = Util.fixNull(current);
            if (items.stream().noneMatch(item -> selected.equals(item.value))) {
                items.add(Messages.EnumSetting_store_missing(selected), selected);
            }
            items.forEach(item -> item.selected = selected.equals(item.value));
            return items;
        }

        @Override
        public TransferOverride choiceOf(Item item) {
            FolderArtifactTransferProperty property = item instanceof AbstractFolder<?> folder
                    ? folder.getProperties().get(FolderArtifactTransferProperty.class)
                    : null;
            return property == null ? null : property.choice;
        }
    }
}
