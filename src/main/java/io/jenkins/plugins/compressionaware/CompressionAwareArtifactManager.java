package io.jenkins.plugins.compressionaware;

import hudson.FilePath;
import hudson.Launcher;
import hudson.model.BuildListener;
import hudson.model.Run;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import jenkins.model.StandardArtifactManager;

/**
 * Core's storage, another way there. Has no fields: it is saved with each build, serves many archive calls, also at the same time, and must
 * not keep a build from loading when the plugin is gone.
 */
public final class CompressionAwareArtifactManager extends StandardArtifactManager {
    CompressionAwareArtifactManager(Run<?, ?> build) {
        super(build);
    }

    @Override
    public void archive(FilePath workspace, Launcher launcher, BuildListener listener, Map<String, String> artifacts)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        if (workspace.isRemote()) {
            Path archive = artifactsDir();
            Summary summary = new AgentTransfer(workspace, listener.getLogger())
                    .archive(
                            artifacts,
                            archive,
                            CompressionAwareArtifactManagerFactory.configured().sendOptions());
            listener.getLogger().println(summary.describe(System.nanoTime() - start));
        } else {
            super.archive(workspace, launcher, listener, artifacts);
            listener.getLogger().println(Summary.describeLocal(artifacts.size(), System.nanoTime() - start));
        }
    }

    // the only way to a build's archive folder; StandardArtifactManager uses it, too
    @SuppressWarnings("deprecation")
    private Path artifactsDir() {
        return build.getArtifactsDir().toPath();
    }
}
