package io.jenkins.plugins.compressionaware.stash;

import hudson.FilePath;
import hudson.model.Run;
import hudson.model.TaskListener;
import io.jenkins.plugins.compressionaware.agent.UnstashTransfer;
import io.jenkins.plugins.compressionaware.config.GlobalPolicy;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.report.LogLine;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.stored.StoredFrames;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;

/** One {@code unstash} step, of a stash that exists. */
public final class UnstashStep {
    private final FilePath workspace;
    private final String name;
    private final Run<?, ?> build;
    private final PrintStream log;
    private final Stashes stashes;

    public UnstashStep(Run<?, ?> build, String name, FilePath workspace, TaskListener listener) {
        this.workspace = workspace;
        this.name = name;
        this.build = build;
        log = listener.getLogger();
        stashes = new Stashes(build);
    }

    public void run() throws IOException, InterruptedException {
        if (!Files.isRegularFile(stashes.ours(name))) {
            File cores = stashes.cores(name).toFile();
            new FilePath(cores).untar(workspace, FilePath.TarCompression.GZIP);
            return;
        }
        try (StoredFrames file = StoredFrames.open(stashes.ours(name))) {
            RunningTransfer running = RunningTransfer.start(
                    new Transfer(
                            Transfer.Kind.UNSTASH,
                            build.getParent().getFullName(),
                            build.getNumber(),
                            StashStep.agentOf(workspace),
                            name,
                            0,
                            null),
                    log);
            TransferSettings settings = GlobalPolicy.configured().settings();
            TransferResult result = workspace.isRemote()
                    ? new UnstashTransfer(workspace, log, running).run(file, settings)
                    : new LocalStash(workspace, running).unpack(file);
            log.println(LogLine.of(result));
        }
    }
}
