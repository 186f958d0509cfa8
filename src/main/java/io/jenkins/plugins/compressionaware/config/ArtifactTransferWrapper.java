package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Extension;
import hudson.Launcher;
import hudson.model.AbstractBuild;
import hudson.model.AbstractProject;
import hudson.model.BuildListener;
import hudson.tasks.BuildWrapper;
import hudson.tasks.BuildWrapperDescriptor;
import net.sf.json.JSONObject;
import org.jenkinsci.Symbol;
import org.kohsuke.stapler.DataBoundConstructor;
import org.kohsuke.stapler.DataBoundSetter;
import org.kohsuke.stapler.StaplerRequest2;

/** The step's equivalent for freestyle jobs. Post-build actions are given the decorated launcher, too. */
public final class ArtifactTransferWrapper extends BuildWrapper {
    private TransferChoice choice;

    /** @throws IllegalArgumentException naming the valid ones, if there is no such codec */
    @DataBoundConstructor
    public ArtifactTransferWrapper(String codec) {
        choice = TransferChoice.of(codec);
    }

    /** One of {@link ValidValues#CODEC}, or what a newer version has saved. */
    @NonNull
    public String getCodec() {
        return choice.codec();
    }

    /** Level of the codec; null for its default. */
    @CheckForNull
    public Integer getLevel() {
        return choice.level();
    }

    /** @throws IllegalArgumentException if no codec has this level */
    @DataBoundSetter
    public void setLevel(@CheckForNull Integer level) {
        choice = choice.withLevel(level);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Launcher decorateLauncher(AbstractBuild build, Launcher launcher, BuildListener listener) {
        return new ChoosingLauncher(launcher, choice);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Environment setUp(AbstractBuild build, Launcher launcher, BuildListener listener) {
        return new Environment() {};
    }

    @Extension
    @Symbol("withArtifactTransfer")
    public static final class DescriptorImpl extends BuildWrapperDescriptor implements ChoiceForm {
        public DescriptorImpl() {
            addHelpFileRedirect("codec", ArtifactTransferProperty.class, "codec");
            addHelpFileRedirect("level", ArtifactTransferProperty.class, "level");
        }

        @NonNull
        @Override
        public String getDisplayName() {
            return Messages.ArtifactTransferWrapper_displayName();
        }

        @Override
        public boolean isApplicable(AbstractProject<?, ?> project) {
            return true;
        }

        @Override
        public BuildWrapper newInstance(StaplerRequest2 request, @NonNull JSONObject form) throws FormException {
            FormBinding<BuildWrapper> binding = f -> super.newInstance(request, f);
            return binding.keeping("codec", ValidValues.CODEC, (wrapper, codec) -> {
                        ArtifactTransferWrapper transfer = (ArtifactTransferWrapper) wrapper;
                        transfer.choice = TransferChoice.saved(codec, transfer.getLevel());
                    })
                    .bind(form);
        }
    }
}
