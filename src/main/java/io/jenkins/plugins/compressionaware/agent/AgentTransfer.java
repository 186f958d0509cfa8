package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.remoting.Pipe;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.direct.AgentKind;
import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.receive.Receiver;
import io.jenkins.plugins.compressionaware.remote.Selection;
import io.jenkins.plugins.compressionaware.report.Causes;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** One transfer from an agent over its channel. */
@Restricted(NoExternalUse.class)
public final class AgentTransfer {
    /** Wire bytes of a transfer that tells what a byte takes. */
    private static final long TELLING = 1 << 20;

    private final FilePath workspace;
    private final PrintStream log;
    private final RunningTransfer running;
    private final LongSupplier clock;

    /** @param running the transfer, just started; this ends it */
    public AgentTransfer(FilePath workspace, PrintStream log, RunningTransfer running) {
        this(workspace, log, running, System::nanoTime);
    }

    /** @param clock tells how long an agent takes without the engine, nanoseconds */
    AgentTransfer(FilePath workspace, PrintStream log, RunningTransfer running, LongSupplier clock) {
        this.workspace = workspace;
        this.log = log;
        this.running = running;
        this.clock = clock;
    }

    private record Ends(SendReport sent, ReceiveReport received) {
        /** The sender's figures are those of the first, of which the other is a small part. */
        Ends plus(Ends again) {
            return new Ends(sent, received.plus(again.received));
        }
    }

    /**
     * Transfers all files or none.
     *
     * @param files name in the archive to path in the workspace
     */
    public TransferResult archive(Map<String, String> files, Path archive, TransferSettings settings)
            throws IOException, InterruptedException {
        return archive(files, archive, settings, null);
    }

    /**
     * Transfers all files or none.
     *
     * @param earlier of which pieces need not travel; null if all is to
     */
    public TransferResult archive(
            Map<String, String> files, Path archive, TransferSettings settings, @CheckForNull EarlierBuild earlier)
            throws IOException, InterruptedException {
        return running.run(() -> {
            SendOptions options = Decodable.of(settings.toSendOptions(), log);
            Ends ends;
            try (Receiver receiver = new Receiver(
                    archive,
                    UnderWay.notes(),
                    files.keySet(),
                    earlier == null ? null : earlier.archive(),
                    options.blockSize(),
                    Computer.threadPoolForRemoting)) {
                ends = receive(
                        receiver,
                        Selection.Named.of(files),
                        settings,
                        options,
                        earlier == null ? null : earlier.offer());
                Set<String> unfit = receiver.unfit();
                if (!unfit.isEmpty()) {
                    ends = ends.plus(sendAgain(receiver, files, unfit, settings, options));
                }
                commit(receiver::commit, log);
            }
            if (earlier != null) {
                running.spared(earlier.number(), earlier.archive().used());
            }
            TransferResult result = running.completed(ends.sent, ends.received);
            if (result.wireBytes >= TELLING && result.earlierBytes < result.rawBytes / 2) {
                AgentKind.of(workspace, running.transfer().job()).sawUplink(Indexing.nanosPerWire(result));
            }
            return result;
        });
    }

    private Ends sendAgain(
            Receiver receiver,
            Map<String, String> files,
            Set<String> unfit,
            TransferSettings settings,
            SendOptions options)
            throws IOException, InterruptedException {
        Map<String, String> left = new HashMap<>(files);
        left.keySet().retainAll(unfit);
        log.println(Messages.AgentTransfer_again(left.size(), unfit.iterator().next()));
        try (Receiver again = receiver.again()) {
            return receive(again, Selection.Named.of(left), settings, options, null);
        }
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
        return running.run(() -> {
            SendOptions options = Decodable.of(Storable.of(settings.toSendOptions()), log);
            Ends ends;
            StoredWriter writer = new StoredWriter(file, partial, options.blockSize());
            try (Receiver receiver = new Receiver(writer, options.blockSize(), Computer.threadPoolForRemoting)) {
                ends = receive(receiver, files, settings, options, null);
                verdict.on(ends.sent.entries());
                commit(receiver::commit, log);
            }
            return running.completed(ends.sent, ends.received.counted(ends.sent.entries(), ends.sent.contentBytes()));
        });
    }

    /** Asked before what was received is moved to its place. */
    @FunctionalInterface
    public interface Verdict {
        /** @throws IOException if it is not to be */
        void on(int files) throws IOException;
    }

    /** A codec or a lane chosen by hand applies to all of a transfer. */
    private boolean mayBeginWithoutEngine(SendOptions options, TransferSettings settings) {
        return options.compression() instanceof Compression.Auto
                && !settings.directLane().equals(TransferSettings.REQUIRED)
                && !AboutAgent.hasTheEngine(workspace.getChannel());
    }

    /** Receives all that is to come, which is not committed yet. */
    private Ends receive(
            Receiver receiver,
            Selection files,
            TransferSettings settings,
            SendOptions options,
            @CheckForNull byte[] earlier)
            throws IOException, InterruptedException {
        Pipe credits = Pipe.createLocalToRemote();
        running.follow(receiver.progress());
        Engine.Start start =
                left -> Engine.start(workspace, left, options, settings, receiver, running, credits, earlier);
        try (SendingAgent agent = new SendingAgent(workspace, files, running, start, clock)) {
            if (earlier == null && mayBeginWithoutEngine(options, settings)) {
                agent.begin(options.blockSize(), receiver.credit());
            }
            ReceiveReport received = receiver.receive(agent, credits.getOut(), agent);
            SendReport sent = agent.report(received);
            agent.learn(sent, log);
            return new Ends(sent, received);
        }
    }

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
        return Causes.of(failure).anyMatch(LinkageError.class::isInstance);
    }

    /** Makes of an agent's reason for a failure what the user is told. */
    static String explain(Transfer transfer, FilePath workspace, String reason) {
        return transfer.kind() == Transfer.Kind.STASH
                ? Messages.AgentTransfer_stashFailed(transfer.stash(), workspace.getRemote(), transfer.agent(), reason)
                : Messages.AgentTransfer_failed(workspace.getRemote(), reason);
    }
}
