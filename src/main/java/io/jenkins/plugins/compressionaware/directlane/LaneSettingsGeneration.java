package io.jenkins.plugins.compressionaware.directlane;

import hudson.Extension;
import hudson.XmlFile;
import hudson.model.Saveable;
import hudson.model.listeners.SaveableListener;
import java.util.concurrent.atomic.AtomicInteger;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.JenkinsLocationConfiguration;

/** Counts how often settings that affect direct lanes were saved. Direct lanes that failed before the last save are tried again. */
final class LaneSettingsGeneration {
    private static final AtomicInteger CHANGES = new AtomicInteger();

    private LaneSettingsGeneration() {}

    /** Returns the number of saves since Jenkins started; never negative. */
    static int generation() {
        return CHANGES.get() & Integer.MAX_VALUE;
    }

    /** Counts each save, even without a change, because one more attempt is cheap. */
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
