package io.jenkins.plugins.compressionaware.directlane;

import hudson.Extension;
import hudson.XmlFile;
import hudson.model.Saveable;
import hudson.model.listeners.SaveableListener;
import java.util.concurrent.atomic.AtomicInteger;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.JenkinsLocationConfiguration;

/** Counts how often an administrator has saved settings on which direct lanes depend. Lanes lost before that are tried again. */
final class LaneSettingsGeneration {
    private static final AtomicInteger CHANGES = new AtomicInteger();

    private LaneSettingsGeneration() {}

    /** Saves since Jenkins has started; never negative. */
    static int generation() {
        return CHANGES.get() & Integer.MAX_VALUE;
    }

    /** Counts each save. One without a change counts, too: trying once more costs little. */
    @Extension
    public static final class SaveListener extends SaveableListener {
        @Override
        public void onChange(Saveable saved, XmlFile file) {
            if (saved instanceof ArtifactManagerConfiguration || saved instanceof JenkinsLocationConfiguration) {
                CHANGES.incrementAndGet();
            }
        }
    }
}
