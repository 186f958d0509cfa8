package io.jenkins.plugins.compressionaware.pages;

import hudson.Extension;
import java.io.IOException;
import org.jenkinsci.Symbol;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** After installation: offers to use the plugin. */
@Extension
@Symbol("artifactTransferOffer")
@Restricted(NoExternalUse.class)
public final class OfferMonitor extends ManagerMonitor {
    public OfferMonitor() {
        super("OfferMonitor");
    }

    @Override
    public String getDisplayName() {
        return Messages.OfferMonitor_displayName();
    }

    @Override
    public boolean isActivated() {
        return !ManagerOrder.hasOurs();
    }

    /** Managers that keep the builds they accept, for the page; empty if there are none. */
    public String getOthers() {
        return String.join(", ", ManagerOrder.others());
    }

    @Override
    String mend() throws IOException {
        ManagerOrder.addOurs();
        return "/manage/artifact-transfers/";
    }
}
