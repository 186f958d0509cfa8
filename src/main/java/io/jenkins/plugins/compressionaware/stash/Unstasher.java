package io.jenkins.plugins.compressionaware.stash;

import hudson.AbortException;
import hudson.FilePath;
import hudson.model.Run;
import hudson.model.TaskListener;
import io.jenkins.plugins.compressionaware.transfer.UnstashTransfer;
import io.jenkins.plugins.compressionaware.config.GlobalPolicy;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.report.LogLine;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredFrames;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** One {@code unstash} step. */
@Restricted(NoExternalUse.class)
public final class Unstasher {
    private final FilePath folder;

    private final String name;
    private final Run<?, ?> build;
    private final PrintStream log;
    private final Stashes stashes;

    /** @param folder to unpack into */
    public Unstasher(Run<?, ?> build, String name, FilePath folder, TaskListener listener) {
        this.folder = folder;
        this.name = name;
        this.build = build;
        log = listener.getLogger();
        stashes = new Stashes(build);
    }

    /** @throws AbortException if there is no such stash */
    public void run() throws IOException, InterruptedException {
        Path stash = stashes.find(name);
        if (stash == null) {
            throw new AbortException("No such saved stash ‘" + name + "’");
        }
        if (Stashes.isCores(stash)) {
            new FilePath(stash.toFile()).untar(folder, FilePath.TarCompression.GZIP);
            return;
        }
        try (StoredFrames file = StoredFrames.open(stash)) {
            RunningTransfer running =
                    RunningTransfer.start(Transfer.Kind.UNSTASH, build, Stasher.agentOf(folder), name, 0, null, log);
            TransferSettings settings = GlobalPolicy.configured().settings();
            TransferResult result = folder.isRemote()
                    ? new UnstashTransfer(folder, log, running).run(file, settings)
                    : new LocalStash(folder, log, running).unpack(file);
            log.println(LogLine.of(result));
        }
    }
}
