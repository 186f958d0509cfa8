package io.jenkins.plugins.compressionaware;

import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Extension;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.config.ChoiceForm;
import io.jenkins.plugins.compressionaware.config.GlobalForm;
import io.jenkins.plugins.compressionaware.config.GlobalPolicy;
import jenkins.model.ArtifactManager;
import jenkins.model.ArtifactManagerFactory;
import jenkins.model.ArtifactManagerFactoryDescriptor;
import net.sf.json.JSONObject;
import org.jenkinsci.Symbol;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.DataBoundConstructor;
import org.kohsuke.stapler.StaplerRequest2;

/** Chosen under Manage Jenkins, System, Artifact Management for Builds. */
@Restricted(NoExternalUse.class)
public final class CompressionAwareArtifactManagerFactory extends GlobalPolicy {
    @DataBoundConstructor
    public CompressionAwareArtifactManagerFactory() {}

    @Override
    public ArtifactManager managerFor(Run<?, ?> build) {
        return exclusions().fromBuild(build) ? null : CompressionAwareArtifactManager.of(build);
    }

    @Extension
    @Symbol("compressionAware")
    public static final class DescriptorImpl extends ArtifactManagerFactoryDescriptor implements GlobalForm {
        @NonNull
        @Override
        public String getDisplayName() {
            return Messages.CompressionAwareArtifactManagerFactory_displayName();
        }

        @Override
        public ArtifactManagerFactory newInstance(StaplerRequest2 request, @NonNull JSONObject form)
                throws FormException {
            return ChoiceForm.readably(() -> super.newInstance(request, form));
        }
    }
}
