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

/** Copies what a build takes over when it starts in the middle of another's Pipeline. */
@Restricted(NoExternalUse.class)
public final class StashRestartCopy {
    private StashRestartCopy() {}

    /** Archives another build's artifacts, as core does. */
    @SuppressWarnings("deprecation") // the only way to a build's archive folder
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
