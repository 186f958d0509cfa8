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

/** Warns if this manager keeps another one, such as an object store, from getting any build. */
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

    /** For the page: the managers that get no build because ours precedes them and accepts all builds. */
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
        oursLast.sort(Comparator.comparing(ArtifactManagerMonitor::isOurs)); // stable, false before true
        managers().replaceBy(oursLast);
        return "/manage";
    }
}
