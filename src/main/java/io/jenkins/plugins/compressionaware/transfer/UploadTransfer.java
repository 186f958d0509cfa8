package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.AbortException;
import hudson.FilePath;
import hudson.model.Computer;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
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
import io.jenkins.plugins.compressionaware.provisioning.AgentProfile;
import io.jenkins.plugins.compressionaware.reference.ChunkIndexer;
import io.jenkins.plugins.compressionaware.reference.ReferenceBuild;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.Causes;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.report.Work;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
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

    private record Reports(SendReport sent, ReceiveReport received) {
        /** Replaces the receiver's counts if it has not unpacked the tar. */
        Reports withSenderCounts() {
            return new Reports(sent, received.withSenderCounts(sent.figures()));
        }
    }

    /** Conducts one upload. */
    interface Conductor {
        TransferResult conduct(Upload upload) throws IOException, InterruptedException;
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
        return run(settings, UnaryOperator.identity(), reference, upload -> {
            Reports reports;
            try (Receiver receiver = new Receiver(
                    archive,
                    StartupCleanup.journal(),
                    files.keySet(),
                    reference == null ? EntryDecoder.NONE : reference.archive(),
                    upload.options().blockSize(),
                    Computer.threadPoolForRemoting)) {
                reports = receive(upload, receiver, files);
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
        return run(
                settings,
                StashCodecs::of,
                null,
                upload -> upload.connection().retry(() -> {
                    int blockSize = upload.options().blockSize();
                    AtomicReference<PackedWriter> writer = new AtomicReference<>();
                    Receiver.PackedFactory packed = () -> {
                        writer.set(new PackedWriter(archive, StartupCleanup.journal(), files.keySet(), blockSize));
                        return writer.get();
                    };
                    Reports reports;
                    try (Receiver receiver = new Receiver(blockSize, Computer.threadPoolForRemoting, packed)) {
                        reports = receiveOnce(upload, receiver, FileSelection.ByName.of(files))
                                .withSenderCounts();
                        commit(receiver::commit, log);
                    }
                    running.recordStored(writer.get().storedBytes());
                    return running.completed(reports.sent, reports.received);
                }));
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
        return run(
                settings,
                StashCodecs::of,
                null,
                upload -> upload.connection().retry(() -> {
                    Reports reports;
                    try (Receiver receiver =
                            new Receiver(file, upload.options().blockSize(), Computer.threadPoolForRemoting)) {
                        reports = receiveOnce(upload, receiver, files).withSenderCounts();
                        check.on(reports.received.figures().entries());
                        commit(receiver::commit, log);
                    }
                    return running.completed(reports.sent, reports.received);
                }));
    }

    /** Checks the number of entries of a received frame file before it is moved into place. Throws an exception to reject the file. */
    @FunctionalInterface
    public interface PreCommitCheck {
        void on(int files) throws IOException;
    }

    /** Runs an upload. The message of a failure then names the agent and the folder, unless the failure is complete without them. */
    TransferResult run(
            TransferSettings settings,
            UnaryOperator<SendOptions> limit,
            @CheckForNull ReferenceBuild reference,
            Conductor conductor)
            throws IOException, InterruptedException {
        return running.run(() -> {
            Reconnection connection = new Reconnection(workspace, running, log, settings);
            SendOptions options = withDecodableCodecs(limit.apply(settings.toSendOptions()));
            Upload upload = new Upload(connection, log, running, clock, settings, options, reference);
            try {
                return conductor.conduct(upload);
            } catch (ExplainedException | AbortException | InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                String reason = AgentCall.describe(e);
                boolean isOwnDisk = reason.startsWith(TarUnpacker.CANNOT_WRITE);
                String whole = isOwnDisk ? Messages.UploadTransfer_here(reason) : reason;
                throw new ExplainedException(upload.explain(whole), e);
            }
        });
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

    /** Receives an archive in one pass. After failed deltas or a lost connection, another pass receives the files that are missing. */
    private Reports receive(Upload first, Receiver receiver, Map<String, String> files)
            throws IOException, InterruptedException {
        Upload upload = first;
        Map<String, String> rest = files;
        SendReport sent = null;
        ReceiveReport received = ReceiveReport.of(Figures.counts(0, 0, 0, 0, 0));
        while (true) {
            Set<String> missing;
            try {
                Reports pass = receiveOnce(upload, receiver, FileSelection.ByName.of(rest));
                received = received.plus(pass.received);
                // of a pass after failed deltas, only the receiver's figures count, because it is small
                sent = sent == null ? pass.sent : sent;
                missing = upload.reference() == null ? Set.of() : receiver.missing();
                if (missing.isEmpty()) {
                    return new Reports(sent, received);
                }
                log.println(BuildLogMessages.oneLine(Messages.UploadTransfer_again(
                        missing.size(),
                        missing.iterator().next(),
                        String.valueOf(upload.reference().number()))));
                upload = upload.withoutReference();
            } catch (IOException e) {
                upload.connection().await(e);
                received = received.plus(receiver.restart());
                missing = receiver.missing();
            }
            rest = new HashMap<>();
            for (String name : missing) {
                rest.put(name, files.get(name));
            }
        }
    }

    /** Makes one pass: bootstrap calls send the first files of a fresh agent, and the engine the rest, while another thread unpacks what arrives. */
    private Reports receiveOnce(Upload upload, Receiver receiver, FileSelection files)
            throws IOException, InterruptedException {
        receiver.inbox().chargeTo(running.transfer().agent());
        running.setProgress(receiver.progress());
        receiver.start();
        BootstrapCalls bootstrap = new BootstrapCalls(upload, receiver, files);
        FileSelection rest = bootstrap.send();
        if (rest == null) {
            ReceiveReport received = receiver.awaitEnd(bootstrap::checkAlive);
            return new Reports(bootstrap.plus(SendReport.NOTHING, received), received);
        }
        try (EngineSession engine = EngineSession.start(upload, receiver, rest, bootstrap)) {
            upload.connection().identify();
            ReceiveReport received = receiver.awaitEnd(engine.call());
            return new Reports(bootstrap.plus(engine.report(received), received), received);
        }
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
}
