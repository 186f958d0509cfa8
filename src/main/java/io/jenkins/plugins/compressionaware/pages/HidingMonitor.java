package io.jenkins.plugins.compressionaware.pages;

import hudson.Extension;
import java.io.IOException;
import org.jenkinsci.Symbol;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Warns where this manager keeps another one, such as an object store, from getting any build. */
@Extension
@Symbol("artifactTransferHiding")
@Restricted(NoExternalUse.class)
public final class HidingMonitor extends ManagerMonitor {
    public HidingMonitor() {
        super("HidingMonitor");
    }

    @Override
    public String getDisplayName() {
        return Messages.HidingMonitor_displayName();
    }

    @Override
    public boolean isActivated() {
        return !ManagerOrder.hidden().isEmpty();
    }

    /** The managers that get no build, for the page. */
    public String getHidden() {
        return String.join(", ", ManagerOrder.hidden());
    }

    @Override
    String mend() throws IOException {
        ManagerOrder.moveOursToTheEnd();
        return "/manage";
    }
}
