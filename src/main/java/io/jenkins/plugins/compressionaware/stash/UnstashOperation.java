package io.jenkins.plugins.compressionaware.stash;

import hudson.AbortException;
import hudson.FilePath;
import hudson.model.Run;
import hudson.model.TaskListener;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.transfer.DownloadTransfer;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Runs one {@code unstash} step, for a stash of this plugin or of Jenkins core. */
@Restricted(NoExternalUse.class)
public final class UnstashOperation {
    private final FilePath folder;

    private final String name;
    private final Run<?, ?> build;
    private final PrintStream log;
    private final StashFolder stashes;

    /** @param folder destination of the files */
    public UnstashOperation(Run<?, ?> build, String name, FilePath folder, TaskListener listener) {
        this.folder = folder;
        this.name = name;
        this.build = build;
        log = listener.getLogger();
        stashes = new StashFolder(build);
    }

    /**
     * Unpacks the stash into the folder.
     *
     * @throws AbortException if the stash does not exist
     */
    public void run() throws IOException, InterruptedException {
        Path stash = stashes.find(name);
        if (stash == null) {
            throw new AbortException("No such saved stash ‘" + name + "’");
        }
        if (StashFolder.isCoreFormat(stash)) {
            new FilePath(stash.toFile()).untar(folder, FilePath.TarCompression.GZIP);
            return;
        }
        try (FrameFile file = FrameFile.open(stash)) {
            RunningTransfer running = RunningTransfer.start(
                    TransferInfo.Operation.UNSTASH, build, StashOperation.agentOf(folder), name, 0, null, log);
            TransferSettings settings = GlobalSettings.get().settings();
            TransferResult result = folder.isRemote()
                    ? new DownloadTransfer(folder, log, running).run(file, settings)
                    : new ControllerStash(folder, log, running).unpack(file);
            log.println(BuildLogMessages.completed(result));
        }
    }
}
