package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.remoting.Pipe;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.directlane.AgentProfile;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfoCache;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.CauseChain;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
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
public final class UploadTransfer {
    /** Wire bytes from which a transfer shows how long a byte takes. */
    static final long MIN_SAMPLE_BYTES = 1 << 20;

    private final FilePath workspace;
    private final PrintStream log;
    private final RunningTransfer running;
    private final LongSupplier clock;

    /** @param running the transfer, just started; this ends it */
    public UploadTransfer(FilePath workspace, PrintStream log, RunningTransfer running) {
        this(workspace, log, running, System::nanoTime);
    }

    /** @param clock nanoseconds, to measure how long an agent takes without the engine */
    UploadTransfer(FilePath workspace, PrintStream log, RunningTransfer running, LongSupplier clock) {
        this.workspace = workspace;
        this.log = log;
        this.running = running;
        this.clock = clock;
    }

    private record BothReports(SendReport sent, ReceiveReport received) {
        /** The sender's figures are those of the first transfer; the other one is small beside it. */
        BothReports plus(BothReports again) {
            return new BothReports(sent, received.plus(again.received));
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
            Map<String, String> files, Path archive, TransferSettings settings, @CheckForNull ReferenceBuild earlier)
            throws IOException, InterruptedException {
        return running.run(() -> {
            SendOptions options = ControllerCodecs.of(settings.toSendOptions(), log);
            BothReports ends;
            try (Receiver receiver = new Receiver(
                    archive,
                    StartupCleanup.journal(),
                    files.keySet(),
                    earlier == null ? EntryDecoder.NONE : earlier.archive(),
                    options.blockSize(),
                    Computer.threadPoolForRemoting)) {
                ends = receive(
                        receiver,
                        FileSelection.ByName.of(files),
                        settings,
                        options,
                        earlier == null ? null : earlier.offer());
                Set<String> unfit = receiver.unfit();
                if (!unfit.isEmpty()) {
                    ends = ends.plus(resendFailedDeltas(
                            receiver, files, unfit, earlier == null ? 0 : earlier.number(), settings, options));
                }
                commit(receiver::commit, log);
            }
            if (earlier != null) {
                running.recordReused(earlier.number(), earlier.archive().reusedBytes());
            }
            TransferResult result = running.completed(ends.sent, ends.received);
            if (result.wireBytes >= MIN_SAMPLE_BYTES && result.reusedBytes < result.rawBytes / 2) {
                AgentProfile.of(workspace, running.transfer().job()).recordUplink(ChunkIndexer.nanosPerWire(result));
            }
            return result;
        });
    }

    private BothReports resendFailedDeltas(
            Receiver receiver,
            Map<String, String> files,
            Set<String> unfit,
            int number,
            TransferSettings settings,
            SendOptions options)
            throws IOException, InterruptedException {
        Map<String, String> left = new HashMap<>(files);
        left.keySet().retainAll(unfit);
        log.println(Messages.UploadTransfer_again(left.size(), unfit.iterator().next(), String.valueOf(number)));
        try (Receiver again = receiver.forRetry()) {
            return receive(again, FileSelection.ByName.of(left), settings, options, null);
        }
    }

    /**
     * Keeps the frames of files in a stored file, as they arrive.
     *
     * @param partial  its path until it is whole; must not exist
     * @param files    files to send
     * @param verdict  hears what was sent, and may refuse the stored file before it is moved into place
     */
    public TransferResult storeStash(
            Path file, Path partial, FileSelection.ByPattern files, TransferSettings settings, PreCommitCheck verdict)
            throws IOException, InterruptedException {
        return running.run(() -> {
            SendOptions options = ControllerCodecs.of(StashCodecs.of(settings.toSendOptions()), log);
            BothReports ends;
            FrameFileWriter writer = new FrameFileWriter(file, partial, options.blockSize());
            try (Receiver receiver = new Receiver(writer, options.blockSize(), Computer.threadPoolForRemoting)) {
                ends = receive(receiver, files, settings, options, null);
                verdict.on(ends.sent.entries());
                commit(receiver::commit, log);
            }
            return running.completed(
                    ends.sent, ends.received.withSenderCounts(ends.sent.entries(), ends.sent.contentBytes()));
        });
    }

    /** Asked before what was received is moved into place. */
    @FunctionalInterface
    public interface PreCommitCheck {
        /** @throws IOException to refuse it */
        void on(int files) throws IOException;
    }

    /** Not with a codec or lane chosen by hand, which applies to all of a transfer. */
    private boolean canBootstrap(SendOptions options, TransferSettings settings) {
        return options.compression() instanceof CompressionMode.Auto
                && settings.directLane() != DirectLane.REQUIRED
                && !AgentInfoCache.hasEngine(workspace.getChannel());
    }

    /** Receives everything, but does not commit it. */
    private BothReports receive(
            Receiver receiver,
            FileSelection files,
            TransferSettings settings,
            SendOptions options,
            @CheckForNull byte[] earlier)
            throws IOException, InterruptedException {
        Pipe credits = Pipe.createLocalToRemote();
        running.setProgress(receiver.progress());
        EngineSession.Starter start = (left, firstWireBytes, firstNanos) -> EngineSession.start(
                workspace, left, firstWireBytes, firstNanos, options, settings, receiver, running, credits, earlier);
        try (AgentSender agent = new AgentSender(workspace, files, running, start, clock)) {
            if (earlier == null && canBootstrap(options, settings)) {
                agent.begin(options.blockSize(), receiver.credit());
            }
            ReceiveReport received = receiver.receive(agent, credits.getOut(), agent);
            SendReport sent = agent.report(received);
            agent.learn(sent, log);
            return new BothReports(sent, received);
        }
    }

    @FunctionalInterface
    public interface Commit {
        /** @return what could not be made as it was sent */
        List<ExtractionWarning> run() throws IOException, InterruptedException;
    }

    /** Logs landing warnings, and, if the build is aborted meanwhile, the reason for its failure: nobody else tells it. */
    public static void commit(Commit commit, PrintStream log) throws IOException, InterruptedException {
        try {
            commit.run().forEach(warning -> log.println(BuildLogMessages.completed(warning)));
        } catch (InterruptedException e) {
            if (e.getMessage() != null) {
                log.println(BuildLogMessages.oneLine(e.getMessage()));
            }
            throw e;
        }
    }

    /**
     * Whether a transfer failed because the agent could not link its classes, for example if the class path of its JVM has others of the same names.
     * Nothing has landed then, and Jenkins' own way does without those classes.
     */
    public static boolean isClassConflict(Throwable failure) {
        return CauseChain.of(failure).anyMatch(LinkageError.class::isInstance);
    }

    /** Turns an agent's reason for a failure into the user's message. */
    static String explain(TransferInfo transfer, FilePath workspace, String reason) {
        return transfer.kind() == TransferInfo.Operation.STASH
                ? Messages.UploadTransfer_stashFailed(transfer.stash(), workspace.getRemote(), transfer.agent(), reason)
                : Messages.UploadTransfer_failed(workspace.getRemote(), transfer.agent(), reason);
    }
}
