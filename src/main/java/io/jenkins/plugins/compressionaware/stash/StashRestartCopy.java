package io.jenkins.plugins.compressionaware.stash;

import hudson.FilePath;
import hudson.Launcher;
import hudson.model.Run;
import hudson.model.TaskListener;
import java.io.File;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import jenkins.util.BuildListenerAdapter;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Copies artifacts to a build that restarts another build's Pipeline from a stage. */
@Restricted(NoExternalUse.class)
public final class StashRestartCopy {
    private StashRestartCopy() {}

    /** Archives the other build's artifacts in the new build, as Jenkins core does. */
    @SuppressWarnings("deprecation") // no other API returns the archive folder of a build
    public static void artifacts(Run<?, ?> from, Run<?, ?> to, TaskListener listener)
            throws IOException, InterruptedException {
        Map<String, String> files = new HashMap<>();
        for (String path : from.getArtifactManager().root().list("**/*", null, false)) {
            files.put(path, path);
        }
        if (!files.isEmpty()) {
            listener.getLogger().println("Copying " + files.size() + " artifact(s) from " + from.getDisplayName());
            File archive = from.getArtifactsDir();
            to.pickArtifactManager()
                    .archive(
                            new FilePath(archive),
                            new Launcher.LocalLauncher(listener),
                            new BuildListenerAdapter(listener),
                            files);
        }
    }
}
