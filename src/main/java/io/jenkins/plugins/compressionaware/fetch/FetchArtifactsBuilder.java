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

/** The Pipeline step {@code fetchArtifacts}: has the parameters of {@code copyArtifacts}, and {@link CopyArtifactInterceptor} always accelerates it. */
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
        @SuppressWarnings("rawtypes") // raw type declared by core
        public boolean isApplicable(Class<? extends AbstractProject> type) {
            return false;
        }
    }
}
