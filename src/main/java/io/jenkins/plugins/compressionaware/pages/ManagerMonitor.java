package io.jenkins.plugins.compressionaware.pages;

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
 * Says what is amiss in the list of artifact managers, of which the first that accepts a build stores its artifacts. With a button that mends it and one
 * that dismisses.
 */
@Restricted(NoExternalUse.class)
public abstract class ManagerMonitor extends AdministrativeMonitor {
    /** Jenkins saves the ids of dismissed monitors: they say where these classes once were, and stay so wherever they go. */
    private static final String SAVED = "io.jenkins.plugins.compressionaware.";

    ManagerMonitor(String name) {
        super(SAVED + name);
    }

    /**
     * For the buttons.
     *
     * @param dismiss null unless that one was pressed
     */
    @POST
    public HttpResponse doAct(@QueryParameter String dismiss) throws IOException {
        Jenkins.get().checkPermission(Jenkins.ADMINISTER);
        if (dismiss != null) {
            disable(true);
            return HttpResponses.redirectViaContextPath("/manage");
        }
        synchronized (ManagerMonitor.class) {
            return HttpResponses.redirectViaContextPath(mend());
        }
    }

    /** @return the page that shows it, below that of Jenkins */
    abstract String mend() throws IOException;

    static DescribableList<ArtifactManagerFactory, ArtifactManagerFactoryDescriptor> managers() {
        return ArtifactManagerConfiguration.get().getArtifactManagerFactories();
    }

    static boolean isOurs(ArtifactManagerFactory manager) {
        return manager instanceof CompressionAwareArtifactManagerFactory;
    }

    /** Display names, without ours; empty if there are no others. */
    static String others(Stream<ArtifactManagerFactory> managers) {
        return managers.filter(manager -> !isOurs(manager))
                .map(manager -> manager.getDescriptor().getDisplayName())
                .collect(Collectors.joining(", "));
    }
}
