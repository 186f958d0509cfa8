package io.jenkins.plugins.compressionaware.stash;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.AbortException;
import hudson.FilePath;
import hudson.Launcher;
import hudson.model.Computer;
import hudson.model.Node;
import hudson.model.Run;
import hudson.model.TaskListener;
import hudson.util.DirScanner;
import hudson.util.io.ArchiverFactory;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.config.EffectiveSettings;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.transfer.StartupCleanup;
import io.jenkins.plugins.compressionaware.transfer.UploadTransfer;
import io.jenkins.plugins.compressionaware.transfer.UploadTransfer.PreCommitCheck;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** One {@code stash} step. It repeats core's messages word for word, since scripts and people look for them in logs. */
@Restricted(NoExternalUse.class)
public final class StashOperation {
    private final Run<?, ?> build;
    private final String name;
    private final FilePath workspace;
    private final Launcher launcher;
    private final PrintStream log;
    private final StashFolder stashes;

    public StashOperation(Run<?, ?> build, String name, FilePath workspace, Launcher launcher, TaskListener listener) {
        this.build = build;
        this.name = name;
        this.workspace = workspace;
        this.launcher = launcher;
        log = listener.getLogger();
        stashes = new StashFolder(build);
    }

    /**
     * Stores files. A failure leaves an earlier stash of that name unchanged.
     *
     * @throws AbortException if there are no files and {@code allowEmpty} is false
     */
    public void run(FileSelection.ByPattern files, boolean allowEmpty) throws IOException, InterruptedException {
        if (stashes.find(name) != null) {
            log.println("Warning: overwriting stash ‘" + name + "’");
        }
        PreCommitCheck verdict = count -> {
            if (count == 0 && !allowEmpty) {
                throw new AbortException("No files included in stash ‘" + name + "’");
            }
            log.println("Stashed " + count + " file(s)");
        };
        GlobalSettings policy = GlobalSettings.get();
        Path partial = stashes.newPartial();
        try (StagingJournal.Entry underWay = StartupCleanup.journal().open(partial)) {
            if (policy.exclusions().excludesAgent(nodeOf(workspace))) {
                storeAsCore(files, partial, verdict);
                return;
            }
            EffectiveSettings resolved = EffectiveSettings.of(policy, build.getParent(), launcher);
            RunningTransfer running = RunningTransfer.start(
                    TransferInfo.Operation.STASH, build, agentOf(workspace), name, 0, resolved.overriddenBy(), log);
            try {
                storeFrames(files, partial, resolved.settings(), running, verdict);
            } catch (IOException e) {
                if (!UploadTransfer.isClassConflict(e) || resolved.settings().directLane() == DirectLane.REQUIRED) {
                    throw e;
                }
                log.println(BuildLogMessages.classConflict(running.transfer(), e));
                storeAsCore(files, partial, verdict);
            }
        }
    }

    private void storeFrames(
            FileSelection.ByPattern files,
            Path partial,
            TransferSettings settings,
            RunningTransfer running,
            PreCommitCheck verdict)
            throws IOException, InterruptedException {
        Path file = stashes.framePath(name);
        TransferResult result = workspace.isRemote()
                ? new UploadTransfer(workspace, log, running).storeStash(file, partial, files, settings, verdict)
                : new ControllerStash(workspace, log, running).store(files, file, partial, settings, verdict);
        stashes.deleteCoreFile(name);
        log.println(BuildLogMessages.completed(result));
    }

    private void storeAsCore(FileSelection.ByPattern files, Path partial, PreCommitCheck verdict)
            throws IOException, InterruptedException {
        try {
            int count;
            try (OutputStream out = Files.newOutputStream(partial)) {
                count = workspace.archive(
                        ArchiverFactory.TARGZ,
                        out,
                        new DirScanner.Glob(files.antIncludes(), files.excludes(), files.useDefaultExcludes()));
            }
            verdict.on(count);
            stashes.commitCoreFile(name, partial);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    /** The agent's name for {@link TransferInfo}. The controller's own node has none and gets its name in URLs. */
    static String agentOf(FilePath workspace) {
        Node node = nodeOf(workspace);
        if (node == null) {
            return "";
        }
        return node.getNodeName().isEmpty() ? TransferInfo.CONTROLLER : node.getNodeName();
    }

    @CheckForNull
    private static Node nodeOf(FilePath workspace) {
        Computer computer = workspace.toComputer();
        return computer == null ? null : computer.getNode();
    }
}
