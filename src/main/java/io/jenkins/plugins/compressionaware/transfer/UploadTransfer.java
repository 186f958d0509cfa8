package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.AbortException;
import hudson.FilePath;
import hudson.model.Computer;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.packed.PackedWriter;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.provisioning.AgentProfile;
import io.jenkins.plugins.compressionaware.reference.ChunkIndexer;
import io.jenkins.plugins.compressionaware.reference.ReferenceBuild;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.Causes;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.report.Work;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Uploads an archive or a stash from an agent. The agent sends with bootstrap calls or the engine; the controller verifies everything before it commits.
 *
 * @param running the transfer, just started; this object ends it
 * @param clock returns nanoseconds, to measure how long an agent takes without the engine
 */
@Restricted(NoExternalUse.class)
public record UploadTransfer(FilePath workspace, PrintStream log, RunningTransfer running, LongSupplier clock) {
    public UploadTransfer(FilePath workspace, PrintStream log, RunningTransfer running) {
        this(workspace, log, running, System::nanoTime);
    }

    private record BothReports(SendReport sent, ReceiveReport received) {
        /** Replaces the receiver's counts if it has not unpacked the tar. */
        BothReports withSenderCounts() {
            return new BothReports(sent, received.withSenderCounts(sent.figures()));
        }
    }

    /**
     * Uploads files into an archive, all or none.
     *
     * @param files names in the archive, mapped to paths in the workspace
     * @param reference build whose content is reused; null to send everything
     */
    public TransferResult archive(
            Map<String, String> files, Path archive, TransferSettings settings, @CheckForNull ReferenceBuild reference)
            throws IOException, InterruptedException {
        return run(() -> {
            SendOptions options = withDecodableCodecs(settings.toSendOptions());
            BothReports reports;
            Reconnection connection = new Reconnection(workspace, running, log, settings);
            try (Receiver receiver = new Receiver(
                    archive,
                    StartupCleanup.journal(),
                    files.keySet(),
                    reference == null ? EntryDecoder.NONE : reference.archive(),
                    options.blockSize(),
                    Computer.threadPoolForRemoting)) {
                FileSelection.ByName all = FileSelection.ByName.of(files);
                byte[] signature = reference == null ? null : reference.signature();
                reports = receive(receiver, all, settings, options, signature, connection);
                Set<String> failed = reference == null ? Set.of() : receiver.missing();
                if (!failed.isEmpty()) {
                    log.println(BuildLogMessages.oneLine(Messages.UploadTransfer_again(
                            failed.size(), failed.iterator().next(), String.valueOf(reference.number()))));
                    // only the receiver's figures are added, because the rest is small
                    ReceiveReport resent =
                            receive(receiver, all.only(failed), settings, options, null, connection).received;
                    reports = new BothReports(reports.sent, reports.received.plus(resent));
                }
                commit(receiver::commit, log);
            }
            if (reference != null) {
                running.recordReused(reference.number(), reference.archive().reusedBytes());
            }
            TransferResult result = running.completed(reports.sent, reports.received);
            // the duration includes the time without a connection
            if (result.wireBytes >= AgentProfile.MIN_SAMPLE_BYTES
                    && result.reusedBytes < result.rawBytes / 2
                    && result.interruptions == 0) {
                AgentProfile.of(workspace, running.transfer().job())
                        .put(AgentProfile.Property.UPLINK, ChunkIndexer.nanosPerWire(result));
            }
            return result;
        });
    }

    /**
     * Uploads files into a packed archive, all or none.
     *
     * @param files names in the archive, mapped to paths in the workspace
     */
    public TransferResult pack(Map<String, String> files, Path archive, TransferSettings settings)
            throws IOException, InterruptedException {
        return run(() -> {
            SendOptions options = withDecodableCodecs(StashCodecs.of(settings.toSendOptions()));
            int blockSize = options.blockSize();
            AtomicReference<PackedWriter> writer = new AtomicReference<>();
            Receiver.PackedFactory packed = () -> {
                writer.set(new PackedWriter(archive, StartupCleanup.journal(), files.keySet(), blockSize));
                return writer.get();
            };
            BothReports reports;
            Reconnection connection = new Reconnection(workspace, running, log, settings);
            try (Receiver receiver = new Receiver(blockSize, Computer.threadPoolForRemoting, packed)) {
                reports = receive(receiver, FileSelection.ByName.of(files), settings, options, null, connection)
                        .withSenderCounts();
                commit(receiver::commit, log);
            }
            running.recordStored(writer.get().storedBytes());
            return running.completed(reports.sent, reports.received);
        });
    }

    /**
     * Uploads files into a frame file, which keeps the frames as they arrive.
     *
     * @param file created when the transfer begins
     * @param check called before the frame file is moved into place, and can reject it
     */
    public TransferResult storeStash(
            Receiver.FrameFileFactory file,
            FileSelection.ByPattern files,
            TransferSettings settings,
            PreCommitCheck check)
            throws IOException, InterruptedException {
        return run(() -> {
            SendOptions options = withDecodableCodecs(StashCodecs.of(settings.toSendOptions()));
            BothReports reports;
            Reconnection connection = new Reconnection(workspace, running, log, settings);
            try (Receiver receiver = new Receiver(file, options.blockSize(), Computer.threadPoolForRemoting)) {
                reports = receive(receiver, files, settings, options, null, connection)
                        .withSenderCounts();
                check.on(reports.received.figures().entries());
                commit(receiver::commit, log);
            }
            return running.completed(reports.sent, reports.received);
        });
    }

    /** Checks the number of entries of a received frame file before it is moved into place. Throws an exception to reject the file. */
    @FunctionalInterface
    public interface PreCommitCheck {
        void on(int files) throws IOException;
    }

    /** Returns whether bootstrap calls may send the first files. Returns false if a codec or lane was chosen, because the choice applies to all files. */
    private boolean canBootstrap(SendOptions options, TransferSettings settings) {
        return options.compression() instanceof CompressionMode.Auto
                && settings.directLane() != DirectLane.REQUIRED
                && !AgentInfo.hasEngine(workspace.getChannel());
    }

    /** Returns the options without zstd if the controller cannot decode it. Logs the replacement of a fixed codec to the build log. */
    private SendOptions withDecodableCodecs(SendOptions wanted) {
        String problem = wanted.compression().zstd() ? CodecLibrary.ZSTD.problem() : null;
        if (problem == null) {
            return wanted;
        }
        if (wanted.compression() instanceof CompressionMode.Auto auto) {
            return wanted.with(new CompressionMode.Auto(auto.minLevel(), auto.maxLevel(), false, auto.lz4()));
        }
        log.println(Messages.UploadTransfer_controllerLacksZstd(problem));
        return wanted.with(new CompressionMode.Fixed(CodecLevel.GZIP));
    }

    /** Receives all files. If the connection is lost, waits for the agent, which then sends the files that are missing. */
    private BothReports receive(
            Receiver receiver,
            FileSelection files,
            TransferSettings settings,
            SendOptions options,
            @CheckForNull byte[] signature,
            Reconnection connection)
            throws IOException, InterruptedException {
        FileSelection rest = files;
        ReceiveReport kept = ReceiveReport.of(Figures.counts(0, 0, 0, 0, 0));
        while (true) {
            try {
                BothReports reports = new UploadTransfer(connection.workspace, log, running, clock)
                        .receiveOnce(receiver, rest, settings, options, signature, connection);
                return new BothReports(reports.sent, kept.plus(reports.received));
            } catch (IOException e) {
                connection.await(e);
                kept = kept.plus(receiver.restart());
                Set<String> missing = receiver.missing();
                rest = missing != null && files instanceof FileSelection.ByName named ? named.only(missing) : files;
            }
        }
    }

    /**
     * Receives files, but does not commit them: bootstrap calls send the first files of a fresh agent, and the engine sends the rest, while another thread
     * unpacks what arrives.
     */
    private BothReports receiveOnce(
            Receiver receiver,
            FileSelection files,
            TransferSettings settings,
            SendOptions options,
            @CheckForNull byte[] signature,
            Reconnection connection)
            throws IOException, InterruptedException {
        receiver.inbox().chargeTo(running.transfer().agent());
        running.setProgress(receiver.progress());
        receiver.start();
        BootstrapCalls bootstrap = new BootstrapCalls(this, files, receiver);
        FileSelection rest = signature == null && canBootstrap(options, settings)
                ? bootstrap.send(files, options.blockSize())
                : files;
        if (rest == null) {
            ReceiveReport received = receiver.awaitEnd(bootstrap::checkAlive);
            return new BothReports(bootstrap.plus(SendReport.NOTHING, received), received);
        }
        try (EngineSession engine =
                EngineSession.start(this, rest, bootstrap, options, settings, receiver, signature)) {
            connection.identify();
            ReceiveReport received = receiver.awaitEnd(engine.call());
            return new BothReports(
                    bootstrap.plus(
                            engine.report(
                                    received.figures().wireBytes() - bootstrap.wireBytes(), bootstrap::elapsedNanos),
                            received),
                    received);
        }
    }

    /** Runs the work of a transfer. The message of a failure then names the agent and the folder, unless the failure is complete without them. */
    private TransferResult run(Work<TransferResult> work) throws IOException, InterruptedException {
        return running.run(() -> {
            try {
                return work.run();
            } catch (ExplainedException | AbortException | InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                String reason = AgentCall.describe(e);
                boolean isOwnDisk = reason.startsWith(TarUnpacker.CANNOT_WRITE);
                String whole = isOwnDisk ? Messages.UploadTransfer_here(reason) : reason;
                throw new ExplainedException(explain(whole), e);
            }
        });
    }

    /** Commits and logs extraction warnings. If the build is aborted during the commit, logs why the commit failed, because nothing else reports it. */
    public static void commit(Work<List<ExtractionWarning>> commit, PrintStream log)
            throws IOException, InterruptedException {
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
     * Returns whether a transfer failed because the agent could not link its classes, for example if its class path has other classes of the same names. No
     * file was written then, so Jenkins itself can transfer the files instead.
     */
    public static boolean isClassConflict(Throwable failure) {
        return Causes.of(failure).anyMatch(LinkageError.class::isInstance);
    }

    /** Returns the user's message for a failure with this reason. */
    String explain(String reason) {
        TransferInfo transfer = running.transfer();
        return transfer.operation() == TransferInfo.Operation.STASH
                ? Messages.UploadTransfer_stashFailed(transfer.stash(), workspace.getRemote(), transfer.agent(), reason)
                : Messages.UploadTransfer_failed(workspace.getRemote(), transfer.agent(), reason);
    }
}
