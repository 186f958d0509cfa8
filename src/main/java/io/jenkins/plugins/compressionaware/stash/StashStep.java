package io.jenkins.plugins.compressionaware.stash;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.AbortException;
import hudson.FilePath;
import hudson.Launcher;
import hudson.Util;
import hudson.model.Computer;
import hudson.model.Node;
import hudson.model.Run;
import hudson.model.TaskListener;
import hudson.util.DirScanner;
import hudson.util.io.ArchiverFactory;
import io.jenkins.plugins.compressionaware.agent.AgentTransfer;
import io.jenkins.plugins.compressionaware.agent.Selection;
import io.jenkins.plugins.compressionaware.agent.Storable;
import io.jenkins.plugins.compressionaware.config.GlobalPolicy;
import io.jenkins.plugins.compressionaware.config.ResolvedTransfer;
import io.jenkins.plugins.compressionaware.report.LogLine;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import io.jenkins.plugins.compressionaware.send.Sender;
import io.jenkins.plugins.compressionaware.stored.StoredWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** One {@code stash} step. What core says, word for word, is what scripts and people look for in logs. */
public final class StashStep {
    private final Run<?, ?> build;
    private final String name;
    private final FilePath workspace;
    private final Launcher launcher;
    private final PrintStream log;
    private final Stashes stashes;

    public StashStep(Run<?, ?> build, String name, FilePath workspace, Launcher launcher, TaskListener listener) {
        this.build = build;
        this.name = name;
        this.workspace = workspace;
        this.launcher = launcher;
        log = listener.getLogger();
        stashes = new Stashes(build);
    }

    /**
     * Stores files. What fails leaves an earlier stash of the name as it was.
     *
     * @throws AbortException if there are none and there should be some
     */
    public void run(Selection.Matching files, boolean allowEmpty) throws IOException, InterruptedException {
        if (stashes.exists(name)) {
            log.println("Warning: overwriting stash ‘" + name + "’");
        }
        Verdict verdict = count -> {
            if (count == 0 && !allowEmpty) {
                throw new AbortException("No files included in stash ‘" + name + "’");
            }
            log.println("Stashed " + count + " file(s)");
        };
        GlobalPolicy policy = GlobalPolicy.configured();
        Node agent = nodeOf(workspace);
        if (policy.steppingAside().fromAgent(agent)) {
            asCore(files, verdict);
        } else if (workspace.isRemote()) {
            fromAgent(files, agent, ResolvedTransfer.of(policy, build.getParent(), launcher), verdict);
        } else {
            here(files, ResolvedTransfer.of(policy, build.getParent(), launcher), verdict);
        }
    }

    private interface Verdict {
        void on(int files) throws AbortException;
    }

    private void fromAgent(
            Selection.Matching files, @CheckForNull Node agent, ResolvedTransfer resolved, Verdict verdict)
            throws IOException, InterruptedException {
        RunningTransfer running = RunningTransfer.start(
                new Transfer(
                        Transfer.Kind.STASH,
                        build.getParent().getFullName(),
                        build.getNumber(),
                        agent == null ? "" : agent.getNodeName(),
                        name,
                        0,
                        resolved.chosenBy()),
                log);
        TransferResult result = new AgentTransfer(workspace, log, running)
                .keep(
                        stashes.ours(name),
                        stashes.newPartial(),
                        files,
                        resolved.settings(),
                        sent -> verdict.on(sent.entries()));
        stashes.replacedByOurs(name);
        log.println(LogLine.of(result));
    }

    private void here(Selection.Matching files, ResolvedTransfer resolved, Verdict verdict)
            throws IOException, InterruptedException {
        SendOptions options = Storable.here(resolved.settings().toSendOptions());
        try (StoredWriter file = new StoredWriter(stashes.ours(name), stashes.newPartial(), options.blockSize())) {
            Path folder = Path.of(workspace.getRemote());
            verdict.on(Sender.store(folder, files.in(folder.toFile()), options, file));
            file.commit();
        }
        stashes.replacedByOurs(name);
    }

    private void asCore(Selection.Matching files, Verdict verdict) throws IOException, InterruptedException {
        Path partial = stashes.newPartial();
        try {
            int count;
            try (OutputStream out = Files.newOutputStream(partial)) {
                String includes = Util.fixEmpty(files.includes()) == null ? "**" : files.includes();
                count = workspace.archive(
                        ArchiverFactory.TARGZ,
                        out,
                        new DirScanner.Glob(includes, files.excludes(), files.useDefaultExcludes()));
            }
            verdict.on(count);
            stashes.commitCores(name, partial);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    @CheckForNull
    static Node nodeOf(FilePath workspace) {
        Computer computer = workspace.toComputer();
        return computer == null ? null : computer.getNode();
    }
}
