package io.jenkins.plugins.compressionaware.fetch;

import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Extension;
import hudson.model.AbstractProject;
import hudson.plugins.copyartifact.CopyArtifact;
import hudson.tasks.BuildStepDescriptor;
import hudson.tasks.Builder;
import org.jenkinsci.Symbol;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.DataBoundConstructor;

/** {@code copyArtifacts} under another name, for Pipelines; {@link CopyArtifactInterceptor} makes it always fetch. */
@Restricted(NoExternalUse.class)
public final class FetchArtifactsBuilder extends CopyArtifact {
    @DataBoundConstructor
    public FetchArtifactsBuilder(String projectName) {
        super(projectName);
    }

    @Extension(optional = true)
    @Symbol("fetchArtifacts")
    public static final class DescriptorImpl extends BuildStepDescriptor<Builder> {
        @NonNull
        @Override
        public String getDisplayName() {
            return Messages.FetchArtifactsBuilder_displayName();
        }

        @Override
        @SuppressWarnings("rawtypes") // as declared
        public boolean isApplicable(Class<? extends AbstractProject> type) {
            return false;
        }
    }
}
