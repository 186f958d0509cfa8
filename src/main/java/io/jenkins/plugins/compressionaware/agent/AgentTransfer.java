package io.jenkins.plugins.compressionaware.agent;

import hudson.FilePath;
import hudson.model.Computer;
import hudson.remoting.Pipe;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.receive.Receiver;
import io.jenkins.plugins.compressionaware.remote.Selection;
import io.jenkins.plugins.compressionaware.report.LogLine;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.send.Compression;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import io.jenkins.plugins.compressionaware.send.SendReport;
import io.jenkins.plugins.compressionaware.shipping.AboutAgent;
import io.jenkins.plugins.compressionaware.shipping.AgentJar;
import io.jenkins.plugins.compressionaware.stored.StoredWriter;
import io.jenkins.plugins.compressionaware.tar.LandingWarning;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/** One transfer from an agent over its channel. The calling thread unpacks. */
public final class AgentTransfer {
    private final FilePath workspace;
    private final PrintStream log;
    private final RunningTransfer running;

    /**
     * @param running the transfer, just started; this ends it
     */
    public AgentTransfer(FilePath workspace, PrintStream log, RunningTransfer running) {
        this.workspace = workspace;
        this.log = log;
        this.running = running;
    }

    private record Ends(SendReport sent, ReceiveReport received) {}

    /**
     * Transfers all files or none.
     *
     * @param files name in the archive to path in the workspace
     */
    public TransferResult archive(Map<String, String> files, Path archive, TransferSettings settings)
            throws IOException, InterruptedException {
        Into into =
                (blockSize, executor) -> new Receiver(archive, UnderWay.notes(), files.keySet(), blockSize, executor);
        return running.run(
                () -> transfer(Selection.Named.of(files), into, settings, settings.toSendOptions(), report -> {}));
    }

    /**
     * Keeps the frames of files in a file, as they arrive.
     *
     * @param partial  where the file is until it is whole; must not exist
     * @param files    which files to send
     * @param verdict  hears what the agent has sent before the file is moved to its place, and may refuse it
     */
    public TransferResult keep(
            Path file, Path partial, Selection.Matching files, TransferSettings settings, Verdict verdict)
            throws IOException, InterruptedException {
        Into into =
                (blockSize, executor) -> new Receiver(new StoredWriter(file, partial, blockSize), blockSize, executor);
        return running.run(() -> transfer(files, into, settings, Storable.of(settings.toSendOptions()), verdict));
    }

    /** Asked before what was received is moved to its place. */
    @FunctionalInterface
    public interface Verdict {
        /** @throws IOException if it is not to be */
        void on(SendReport sent) throws IOException;
    }

    private interface Into {
        Receiver receiver(int blockSize, Executor executor) throws IOException;
    }

    private TransferResult transfer(
            Selection files, Into into, TransferSettings settings, SendOptions options, Verdict verdict)
            throws IOException, InterruptedException {
        Ends ends = receive(files, into, settings, options, verdict);
        ReceiveReport received = files instanceof Selection.Named
                ? ends.received
                : ends.received.counted(ends.sent.entries(), ends.sent.contentBytes());
        return running.completed(ends.sent, received);
    }

    /** What somebody has chosen by hand, a codec or a lane, applies to all of a transfer. */
    private boolean mayBeginWithoutEngine(SendOptions options, TransferSettings settings) {
        return options.compression() instanceof Compression.Auto
                && !settings.directLane().equals(TransferSettings.REQUIRED)
                && !AboutAgent.hasTheEngine(workspace.getChannel());
    }

    private Ends receive(Selection files, Into into, TransferSettings settings, SendOptions wanted, Verdict verdict)
            throws IOException, InterruptedException {
        SendOptions options = Decodable.of(wanted, log);
        Pipe credits = Pipe.createLocalToRemote();
        try (Receiver receiver = into.receiver(options.blockSize(), Computer.threadPoolForRemoting)) {
            running.follow(receiver.progress());
            Engine.Start start = (left, before) ->
                    Engine.start(workspace, left, options, settings, receiver, running, credits, before);
            try (SendingAgent agent = new SendingAgent(workspace, files, running, start)) {
                if (mayBeginWithoutEngine(options, settings)) {
                    agent.begin(options.blockSize(), receiver.credit());
                }
                ReceiveReport received = receiver.receive(agent, credits.getOut(), agent);
                SendReport sent = agent.report(received);
                verdict.on(sent);
                commit(receiver::commit, log);
                agent.learn(sent, log);
                return new Ends(sent, received);
            }
        }
    }

    /** Moves what has arrived to its place. */
    @FunctionalInterface
    public interface Commit {
        /** @return what did not land as it should */
        List<LandingWarning> run() throws IOException, InterruptedException;
    }

    /** Tells what did not land as it should, also of a build that is aborted meanwhile: nobody else tells why that one has failed. */
    public static void commit(Commit commit, PrintStream log) throws IOException, InterruptedException {
        try {
            commit.run().forEach(warning -> log.println(LogLine.of(warning)));
        } catch (InterruptedException e) {
            if (e.getMessage() != null) {
                log.println(LogLine.oneLine(e.getMessage()));
            }
            throw e;
        }
    }

    /**
     * Whether a transfer failed since the agent could not put its classes together, as where a library's newer version needs more of them than
     * {@link AgentJar#ENGINE} has. Nothing of it has landed then, and Jenkins' own way does without those classes.
     */
    public static boolean lacksClasses(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).anyMatch(LinkageError.class::isInstance);
    }

    /** Makes of an agent's reason for a failure what the user is told. */
    static String explain(Transfer transfer, FilePath workspace, String reason) {
        return transfer.kind() == Transfer.Kind.STASH
                ? Messages.AgentTransfer_stashFailed(transfer.stash(), workspace.getRemote(), transfer.agent(), reason)
                : Messages.AgentTransfer_failed(workspace.getRemote(), reason);
    }
}
