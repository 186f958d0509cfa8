package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.remoting.Pipe;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.directlane.AgentKind;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.agent.Selection;
import io.jenkins.plugins.compressionaware.report.Causes;
import io.jenkins.plugins.compressionaware.report.LogLine;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.engine.send.Compression;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.provisioning.AboutAgent;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredWriter;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.engine.tar.LandingWarning;
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
    /** Wire bytes from which a transfer shows how long a byte takes. */
    static final long TELLING = 1 << 20;

    private final FilePath workspace;
    private final PrintStream log;
    private final RunningTransfer running;
    private final LongSupplier clock;

    /** @param running the transfer, just started; this ends it */
    public AgentTransfer(FilePath workspace, PrintStream log, RunningTransfer running) {
        this(workspace, log, running, System::nanoTime);
    }

    /** @param clock nanoseconds, to measure how long an agent takes without the engine */
    AgentTransfer(FilePath workspace, PrintStream log, RunningTransfer running, LongSupplier clock) {
        this.workspace = workspace;
        this.log = log;
        this.running = running;
        this.clock = clock;
    }

    private record Ends(SendReport sent, ReceiveReport received) {
        /** The sender's figures are those of the first transfer; the other one is small beside it. */
        Ends plus(Ends again) {
            return new Ends(sent, received.plus(again.received));
        }
    }

    /**
     * Transfers all files or none.
     *
     * @param files names in the archive, mapped to paths in the workspace
     */
    public TransferResult archive(Map<String, String> files, Path archive, TransferSettings settings)
            throws IOException, InterruptedException {
        return archive(files, archive, settings, null);
    }

    /**
     * Transfers all files or none.
     *
     * @param earlier build whose pieces need not travel; null if everything must
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
                    earlier == null ? EntryDecoder.NONE : earlier.archive(),
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
                    ends = ends.plus(sendAgain(
                            receiver, files, unfit, earlier == null ? 0 : earlier.number(), settings, options));
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
            int number,
            TransferSettings settings,
            SendOptions options)
            throws IOException, InterruptedException {
        Map<String, String> left = new HashMap<>(files);
        left.keySet().retainAll(unfit);
        log.println(Messages.AgentTransfer_again(left.size(), unfit.iterator().next(), String.valueOf(number)));
        try (Receiver again = receiver.again()) {
            return receive(again, Selection.Named.of(left), settings, options, null);
        }
    }

    /**
     * Keeps the frames of files in a stored file, as they arrive.
     *
     * @param partial  its path until it is whole; must not exist
     * @param files    files to send
     * @param verdict  hears what was sent, and may refuse the stored file before it is moved into place
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

    /** Asked before what was received is moved into place. */
    @FunctionalInterface
    public interface Verdict {
        /** @throws IOException to refuse it */
        void on(int files) throws IOException;
    }

    /** Not with a codec or lane chosen by hand, which applies to all of a transfer. */
    private boolean mayBeginWithoutEngine(SendOptions options, TransferSettings settings) {
        return options.compression() instanceof Compression.Auto
                && settings.directLane() != DirectLane.REQUIRED
                && !AboutAgent.hasTheEngine(workspace.getChannel());
    }

    /** Receives everything, but does not commit it. */
    private Ends receive(
            Receiver receiver,
            Selection files,
            TransferSettings settings,
            SendOptions options,
            @CheckForNull byte[] earlier)
            throws IOException, InterruptedException {
        Pipe credits = Pipe.createLocalToRemote();
        running.follow(receiver.progress());
        Engine.Start start = (left, firstWireBytes, firstNanos) -> Engine.start(
                workspace, left, firstWireBytes, firstNanos, options, settings, receiver, running, credits, earlier);
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
        /** @return what could not be made as it was sent */
        List<LandingWarning> run() throws IOException, InterruptedException;
    }

    /** Logs landing warnings, and, if the build is aborted meanwhile, the reason for its failure: nobody else tells it. */
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
     * Whether a transfer failed because the agent could not link its classes, for example if the class path of its JVM has others of the same names.
     * Nothing has landed then, and Jenkins' own way does without those classes.
     */
    public static boolean lacksClasses(Throwable failure) {
        return Causes.of(failure).anyMatch(LinkageError.class::isInstance);
    }

    /** Turns an agent's reason for a failure into the user's message. */
    static String explain(Transfer transfer, FilePath workspace, String reason) {
        return transfer.kind() == Transfer.Kind.STASH
                ? Messages.AgentTransfer_stashFailed(transfer.stash(), workspace.getRemote(), transfer.agent(), reason)
                : Messages.AgentTransfer_failed(workspace.getRemote(), transfer.agent(), reason);
    }
}
