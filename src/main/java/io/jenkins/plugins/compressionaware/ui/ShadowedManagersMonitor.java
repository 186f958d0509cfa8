package io.jenkins.plugins.compressionaware.ui;

import hudson.Extension;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import jenkins.model.ArtifactManagerFactory;
import org.jenkinsci.Symbol;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Warns if this plugin's manager accepts all builds and is listed before another manager, such as an object store. */
@Extension
@Symbol("artifactTransferHiding")
@Restricted(NoExternalUse.class)
public final class ShadowedManagersMonitor extends ArtifactManagerMonitor {
    @Override
    public String getDisplayName() {
        return Messages.ShadowedManagersMonitor_displayName();
    }

    @Override
    public boolean isActivated() {
        return !getHidden().isEmpty();
    }

    /** Returns the names of the managers that receive no builds, separated by commas. */
    public String getHidden() {
        return others(managers().stream().dropWhile(manager -> !acceptsAll(manager)));
    }

    private static boolean acceptsAll(ArtifactManagerFactory manager) {
        return manager instanceof CompressionAwareArtifactManagerFactory ours
                && ours.getExcludedJobs() == null
                && ours.getExcludedLabels() == null;
    }

    @Override
    String fix() throws IOException {
        List<ArtifactManagerFactory> oursLast = new ArrayList<>(managers());
        // keeps the order of the other managers, because the sort is stable; false sorts before true
        oursLast.sort(Comparator.comparing(ArtifactManagerMonitor::isOurs));
        managers().replaceBy(oursLast);
        return "/manage";
    }
}
