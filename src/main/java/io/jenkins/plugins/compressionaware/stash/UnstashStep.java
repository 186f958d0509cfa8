package io.jenkins.plugins.compressionaware.stash;

import hudson.FilePath;
import hudson.model.Computer;
import hudson.model.Run;
import hudson.model.TaskListener;
import io.jenkins.plugins.compressionaware.receive.StoredTar;
import io.jenkins.plugins.compressionaware.stored.StoredFrames;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;

/** One {@code unstash} step, of a stash that exists. */
public final class UnstashStep {
    private final FilePath workspace;
    private final String name;
    private final Stashes stashes;

    public UnstashStep(Run<?, ?> build, String name, FilePath workspace, TaskListener listener) {
        this.workspace = workspace;
        this.name = name;
        stashes = new Stashes(build);
    }

    public void run() throws IOException, InterruptedException {
        if (!Files.isRegularFile(stashes.ours(name))) {
            File cores = stashes.cores(name).toFile();
            new FilePath(cores).untar(workspace, FilePath.TarCompression.GZIP);
            return;
        }
        try (StoredFrames file = StoredFrames.open(stashes.ours(name));
                StoredTar tar = new StoredTar(file, Computer.threadPoolForRemoting)) {
            workspace.untarFrom(tar, FilePath.TarCompression.NONE);
        }
    }
}
