package io.jenkins.plugins.compressionaware.ui;

import hudson.model.AdministrativeMonitor;
import hudson.util.DescribableList;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import java.io.IOException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.ArtifactManagerFactory;
import jenkins.model.ArtifactManagerFactoryDescriptor;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.HttpResponse;
import org.kohsuke.stapler.HttpResponses;
import org.kohsuke.stapler.QueryParameter;
import org.kohsuke.stapler.verb.POST;

/**
 * Warns administrators of a problem in the list of artifact managers. The first manager that accepts a build stores its artifacts. One button fixes the
 * problem, another dismisses the warning.
 */
@Restricted(NoExternalUse.class)
public abstract class ArtifactManagerMonitor extends AdministrativeMonitor {
    /**
     * Fixes the problem, or dismisses the warning.
     *
     * @param dismiss null unless the dismiss button was pressed
     */
    @POST
    public HttpResponse doAct(@QueryParameter String dismiss) throws IOException {
        Jenkins.get().checkPermission(Jenkins.ADMINISTER);
        if (dismiss != null) {
            disable(true);
            return HttpResponses.redirectViaContextPath("/manage");
        }
        synchronized (ArtifactManagerMonitor.class) {
            return HttpResponses.redirectViaContextPath(fix());
        }
    }

    /** Fixes the problem if it still exists. Returns the page to show, relative to Jenkins' root URL. */
    abstract String fix() throws IOException;

    static DescribableList<ArtifactManagerFactory, ArtifactManagerFactoryDescriptor> managers() {
        return ArtifactManagerConfiguration.get().getArtifactManagerFactories();
    }

    static boolean isOurs(ArtifactManagerFactory manager) {
        return manager instanceof CompressionAwareArtifactManagerFactory;
    }

    /** Returns the display names of other plugins' managers, separated by commas; empty if there are none. */
    static String others(Stream<ArtifactManagerFactory> managers) {
        return managers.filter(manager -> !isOurs(manager))
                .map(manager -> manager.getDescriptor().getDisplayName())
                .collect(Collectors.joining(", "));
    }
}
