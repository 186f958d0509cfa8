package io.jenkins.plugins.compressionaware.ui;

import hudson.Extension;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import java.io.IOException;
import org.jenkinsci.Symbol;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Offers to add the plugin's artifact manager after the plugin's installation. */
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

    /** Returns the names of the other managers, which still receive builds after the fix; empty if there are none. */
    public String getOthers() {
        return others(managers().stream());
    }

    @Override
    String fix() throws IOException {
        if (isActivated()) {
            // last, so that the other managers still receive builds
            managers().add(new CompressionAwareArtifactManagerFactory());
        }
        return "/manage/artifact-transfers/";
    }
}
