package io.jenkins.plugins.compressionaware.ui;

import hudson.Extension;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import java.io.IOException;
import org.jenkinsci.Symbol;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Offers to use the plugin after its installation. */
@Extension
@Symbol("artifactTransferOffer")
@Restricted(NoExternalUse.class)
public final class NotConfiguredMonitor extends ArtifactManagerMonitor {
    @Override
    public String getDisplayName() {
        return Messages.NotConfiguredMonitor_displayName();
    }

    @Override
    public boolean isActivated() {
        return managers().stream().noneMatch(ArtifactManagerMonitor::isOurs);
    }

    /** For the page: other managers, which keep the builds that they accept; empty if there are none. */
    public String getOthers() {
        return others(managers().stream());
    }

    @Override
    String fix() throws IOException {
        if (isActivated()) {
            // after all others, so that it hides none
            managers().add(new CompressionAwareArtifactManagerFactory());
        }
        return "/manage/artifact-transfers/";
    }
}
