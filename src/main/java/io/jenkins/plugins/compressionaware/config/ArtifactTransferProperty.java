package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Extension;
import hudson.model.Job;
import hudson.model.JobProperty;
import jenkins.model.OptionalJobProperty;
import net.sf.json.JSONObject;
import org.jenkinsci.Symbol;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.DataBoundConstructor;
import org.kohsuke.stapler.DataBoundSetter;
import org.kohsuke.stapler.StaplerRequest2;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/** The transfer settings of a job, which override the settings of its folders and of the system. */
@ExportedBean
@Restricted(NoExternalUse.class)
public final class ArtifactTransferProperty extends OptionalJobProperty<Job<?, ?>> {
    TransferOverride choice = TransferOverride.NONE;

    @DataBoundConstructor
    public ArtifactTransferProperty() {}

    /** Returns one of {@link EnumSetting#CODEC}, or a value saved by a newer version; null if inherited. */
    @Exported
    @CheckForNull
    public String getCodec() {
        return choice.codec;
    }

    @DataBoundSetter
    public void setCodec(@CheckForNull String codec) {
        choice = choice.withCodec(codec);
    }

    @Exported
    @CheckForNull
    public Integer getLevel() {
        return choice.level;
    }

    @DataBoundSetter
    public void setLevel(@CheckForNull Integer level) {
        choice = choice.withLevel(level);
    }

    @Exported
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

    /** A configuration that was not saved by the form may lack the field, or have a store, which only folders choose. */
    private Object readResolve() {
        choice = choice == null ? TransferOverride.NONE : choice.withStore(null);
        return this;
    }

    @Exported
    @CheckForNull
    public String getStorage() {
        return choice.storage;
    }

    @DataBoundSetter
    public void setStorage(@CheckForNull String storage) {
        choice = choice.withStorage(storage);
    }

    @Extension
    @Symbol("artifactTransfer")
    public static final class DescriptorImpl extends OptionalJobPropertyDescriptor implements OverrideFormValidation {
        @NonNull
        @Override
        public String getDisplayName() {
            return Messages.ArtifactTransfer_displayName();
        }

        @Override
        public JobProperty<?> newInstance(StaplerRequest2 request, JSONObject form) throws FormException {
            return OverrideFormValidation.asFormException(() -> super.newInstance(request, form));
        }
    }
}
