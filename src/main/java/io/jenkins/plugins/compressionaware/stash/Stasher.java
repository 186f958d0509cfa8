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
import io.jenkins.plugins.compressionaware.transfer.AgentTransfer;
import io.jenkins.plugins.compressionaware.transfer.AgentTransfer.Verdict;
import io.jenkins.plugins.compressionaware.transfer.UnderWay;
import io.jenkins.plugins.compressionaware.config.GlobalPolicy;
import io.jenkins.plugins.compressionaware.config.ResolvedTransfer;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.agent.Selection;
import io.jenkins.plugins.compressionaware.report.LogLine;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.engine.staging.Notes;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** One {@code stash} step. It repeats core's messages word for word, since scripts and people look for them in logs. */
@Restricted(NoExternalUse.class)
public final class Stasher {
    private final Run<?, ?> build;
    private final String name;
    private final FilePath workspace;
    private final Launcher launcher;
    private final PrintStream log;
    private final Stashes stashes;

    public Stasher(Run<?, ?> build, String name, FilePath workspace, Launcher launcher, TaskListener listener) {
        this.build = build;
        this.name = name;
        this.workspace = workspace;
        this.launcher = launcher;
        log = listener.getLogger();
        stashes = new Stashes(build);
    }

    /**
     * Stores files. A failure leaves an earlier stash of that name unchanged.
     *
     * @throws AbortException if there are no files and {@code allowEmpty} is false
     */
    public void run(Selection.Matching files, boolean allowEmpty) throws IOException, InterruptedException {
        if (stashes.find(name) != null) {
            log.println("Warning: overwriting stash ‘" + name + "’");
        }
        Verdict verdict = count -> {
            if (count == 0 && !allowEmpty) {
                throw new AbortException("No files included in stash ‘" + name + "’");
            }
            log.println("Stashed " + count + " file(s)");
        };
        GlobalPolicy policy = GlobalPolicy.configured();
        Path partial = stashes.newPartial();
        try (Notes.Note underWay = UnderWay.notes().begin(partial)) {
            if (policy.exclusions().fromAgent(nodeOf(workspace))) {
                asCore(files, partial, verdict);
                return;
            }
            ResolvedTransfer resolved = ResolvedTransfer.of(policy, build.getParent(), launcher);
            RunningTransfer running = RunningTransfer.start(
                    Transfer.Kind.STASH, build, agentOf(workspace), name, 0, resolved.chosenBy(), log);
            try {
                asOurs(files, partial, resolved.settings(), running, verdict);
            } catch (IOException e) {
                if (!AgentTransfer.lacksClasses(e) || resolved.settings().directLane() == DirectLane.REQUIRED) {
                    throw e;
                }
                log.println(LogLine.ofLackingClasses(running.transfer(), e));
                asCore(files, partial, verdict);
            }
        }
    }

    private void asOurs(
            Selection.Matching files, Path partial, TransferSettings settings, RunningTransfer running, Verdict verdict)
            throws IOException, InterruptedException {
        Path file = stashes.ours(name);
        TransferResult result = workspace.isRemote()
                ? new AgentTransfer(workspace, log, running).keep(file, partial, files, settings, verdict)
                : new LocalStash(workspace, log, running).store(files, file, partial, settings, verdict);
        stashes.replacedByOurs(name);
        log.println(LogLine.of(result));
    }

    private void asCore(Selection.Matching files, Path partial, Verdict verdict)
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
            stashes.commitCores(name, partial);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    /** The agent's name for {@link Transfer}. The controller's own node has none and gets its name in URLs. */
    static String agentOf(FilePath workspace) {
        Node node = nodeOf(workspace);
        if (node == null) {
            return "";
        }
        return node.getNodeName().isEmpty() ? Transfer.CONTROLLER : node.getNodeName();
    }

    @CheckForNull
    private static Node nodeOf(FilePath workspace) {
        Computer computer = workspace.toComputer();
        return computer == null ? null : computer.getNode();
    }
}
