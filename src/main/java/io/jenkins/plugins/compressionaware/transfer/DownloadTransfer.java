package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.remoting.Pipe;
import hudson.util.VersionNumber;
import io.jenkins.plugins.compressionaware.agent.BootstrapUnstashCallable;
import io.jenkins.plugins.compressionaware.agent.ChannelWrites;
import io.jenkins.plugins.compressionaware.agent.DownloadCallable;
import io.jenkins.plugins.compressionaware.agent.StoreDownloadCallable;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.directlane.DirectLaneSessions;
import io.jenkins.plugins.compressionaware.directlane.DirectLaneSetup;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneReport;
import io.jenkins.plugins.compressionaware.engine.receive.DownloadReport;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileServer;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReaders;
import io.jenkins.plugins.compressionaware.engine.store.StoreAnswers;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.provisioning.AgentJar;
import io.jenkins.plugins.compressionaware.provisioning.AgentProfile;
import io.jenkins.plugins.compressionaware.provisioning.CodecDelivery;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.Causes;
import io.jenkins.plugins.compressionaware.report.KnownFailureException;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.store.ObjectStores;
import io.jenkins.plugins.compressionaware.store.StoreLocation;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Unpacks a frame file, such as a stash, on an agent. The agent requests the ranges that it needs; a small stash is sent whole, with one call.
 *
 * @param running the transfer, just started; this object ends it
 */
@Restricted(NoExternalUse.class)
public record DownloadTransfer(FilePath workspace, PrintStream log, RunningTransfer running) {
    private static final Logger LOGGER = Logger.getLogger(DownloadTransfer.class.getName());

    /** How often an agent may request a file on average, because requests may fail, and late ones are repeated. An agent that is not trusted could go on without an end. */
    private static final int MAX_REQUESTS = 4;

    /** From this version on (weekly: 2.563), core refuses to write through links only in a workspace on the controller. */
    private static final VersionNumber LINKS_FOLLOWED = new VersionNumber("2.555.3");

    /** Returns how to pack files for this agent. */
    public Repacking packing() {
        return new Repacking(workspace, running);
    }

    /** Unpacks all files and ends the transfer. The message of a failure names the first missing file. */
    public TransferResult run(FrameFile file, TransferSettings settings) throws IOException, InterruptedException {
        return running.run(() -> unpack(file, List.of(), settings));
    }

    /**
     * Unpacks all files for a caller that ends a failed transfer itself. If the connection is lost, waits for the agent, and sends all files again. The
     * agent skips those that it had reported as complete.
     *
     * @param packed codecs with which the file was just packed; empty if it was packed earlier
     */
    public TransferResult unpack(FrameFile file, List<CodecUsage> packed, TransferSettings settings)
            throws IOException, InterruptedException {
        Reconnection connection = new Reconnection(workspace, running, log, settings);
        return connection.retry(() -> new DownloadTransfer(connection.workspace, log, running)
                .unpackOnce(file, packed, settings, connection));
    }

    private TransferResult unpackOnce(
            FrameFile file, List<CodecUsage> packed, TransferSettings settings, Reconnection connection)
            throws IOException, InterruptedException {
        StoredRecord stored = file.stored();
        if (stored != null && StoreTransfer.agentReads(workspace, file)) {
            return downloadFromStore(file, stored, connection);
        }
        running.setStore(null); // the agent may have read the store before it connected again
        // a required direct lane also applies to small files
        InlineStash small = settings.directLane() == DirectLane.REQUIRED || AgentInfo.hasEngine(workspace.getChannel())
                ? null
                : running.disk().call(() -> InlineStash.of(file, Computer.threadPoolForRemoting));
        if (small != null) {
            connection.complete.set(0); // the call writes all files again, and may leave any of them incomplete
            return downloadInline(file, small, packed);
        }
        AgentJar.FETCH.preload(workspace.getChannel());
        AgentInfo facts = AgentInfo.of(workspace.getChannel());
        connection.identify();
        CodecLevel repacking = packed.isEmpty() ? packing().levelFor(file, settings) : CodecLevel.UNCOMPRESSED;
        Checksum checksum = settings.checksum();
        boolean required = false;
        for (CodecLibrary library : Repacking.librariesFor(file, repacking, checksum)) {
            String problem = CodecDelivery.deliver(workspace.getChannel(), facts.platform(), library);
            if (problem != null) {
                // the agent has musl instead of glibc, for example, or a temporary folder mounted with noexec
                log.println(BuildLogMessages.oneLine(
                        library == CodecLibrary.ZSTD
                                ? Messages.UploadTransfer_agentReplacesZstd(problem)
                                : Messages.UploadTransfer_agentReplacesLz4(problem)));
                repacking = CodecLevel.GZIP;
                checksum = Checksum.CRC32C;
                required = true;
            }
        }
        return repacking.equals(CodecLevel.UNCOMPRESSED)
                ? download(file, file.name(), packed, facts, settings, connection)
                : repackAndDownload(file, repacking, checksum, required, facts, settings, connection);
    }

    private TransferResult downloadFromStore(FrameFile file, StoredRecord stored, Reconnection connection)
            throws IOException, InterruptedException {
        running.setLink(AgentInfo.of(workspace.getChannel()).roundTrip().nanos(), 0);
        running.setExpectedBytes(running.completedBytes() + file.wireBytes());
        running.setStore(StoreLocation.parse(stored.store()).name());
        long id = SilenceLimit.newId();
        ObjectStores.Reading reading = new ObjectStores.Reading(stored);
        ArrayList<ObjectReaders.Stored> objects = reading.objects(file.selected());
        StoreDownloadCallable callable = new StoreDownloadCallable(
                workspace.getChannel().export(ObjectReaders.Signer.class, reading),
                objects,
                file.selected(),
                file.blockSize(),
                followLinks(),
                running.transfer().operation() == TransferInfo.Operation.FETCH,
                id);
        try (reading;
                AgentCall<StoreDownloadCallable.Fetched> agent = AgentCall.start(
                        workspace, callable, failure -> explain(file, file.name(), AgentCall.describe(failure)), id)) {
            connection.identify();
            long before = running.directBytes();
            LongConsumer read = bytes -> {
                long more = before + Math.max(0, Math.min(bytes, file.wireBytes())) - running.directBytes();
                if (more > 0) {
                    running.addDirectBytes(more);
                }
            };
            agent.limit(new SilenceLimit(running, workspace.getChannel(), id, () -> false, Long.MAX_VALUE)
                    .follow(read, running::setState));
            StoreDownloadCallable.Fetched fetched = agent.report();
            read.accept(file.wireBytes());
            StoreAnswers.addAll("get", fetched.answers());
            return completed(
                    fetched.report().received().withKnownSizes(file.rawBytes(), file.wireBytes()), List.of(), null);
        }
    }

    /**
     * Sends a compressed copy. If Jenkins' home has no space for the copy, sends the file itself.
     *
     * @param required whether the agent cannot decode the file itself
     */
    private TransferResult repackAndDownload(
            FrameFile file,
            CodecLevel choice,
            Checksum checksum,
            boolean required,
            AgentInfo facts,
            TransferSettings settings,
            Reconnection connection)
            throws IOException, InterruptedException {
        SendOptions options = new SendOptions(
                new CompressionMode.Fixed(choice), file.blockSize(), SendOptions.BY_PROCESSORS, checksum);
        PackedCopy copy;
        try {
            copy = running.disk().open(() -> packing().copy(file, options));
        } catch (IOException e) {
            if (required || file.failure() != null) {
                throw failure(file, e);
            }
            LOGGER.log(Level.INFO, e, () -> "Sending " + file.name() + " without compression");
            return download(file, file.name(), List.of(), facts, settings, connection);
        }
        try (Closeable cleanup = () -> running.disk().runCleanup(copy);
                FrameFile repacked = running.disk().open(() -> FrameFile.open(copy.file()))) {
            return download(repacked, file.name(), copy.usages(), facts, settings, connection);
        }
    }

    private TransferResult downloadInline(FrameFile file, InlineStash stash, List<CodecUsage> packed)
            throws IOException, InterruptedException {
        AgentJar.SMALL_UNSTASH.preload(workspace.getChannel());
        byte[] members = stash.members();
        try (AgentCall<ReceiveReport> call = AgentCall.start(
                workspace,
                new BootstrapUnstashCallable(members, followLinks()),
                failure -> explain(file, file.name(), AgentCall.describe(failure)),
                0)) {
            call.limit(SilenceLimit.withoutQueries(running::idleNanos));
            ReceiveReport received = call.report().withKnownSizes(file.rawBytes(), members.length);
            running.addChannelBytes(members.length);
            List<CodecUsage> again = stash.recompressed();
            return completed(received, again.isEmpty() ? packed : again, null);
        }
    }

    /** Returns whether to write through links. The Copy Artifact plugin always does, and core does depending on its version. */
    private boolean followLinks() {
        VersionNumber core = Jenkins.getVersion();
        return running.transfer().operation() == TransferInfo.Operation.FETCH
                || core == null
                || !core.isOlderThan(LINKS_FOLLOWED);
    }

    /**
     * Logs extraction warnings, and completes the transfer.
     *
     * @param packed codecs with which the file was just packed
     */
    private TransferResult completed(
            ReceiveReport received, List<CodecUsage> packed, @CheckForNull DirectLaneReport direct) {
        received.warnings().forEach(warning -> log.println(BuildLogMessages.completed(warning)));
        SendReport sent = SendReport.ofFrameFile(received.figures(), direct);
        sent.usages().addAll(packed);
        return running.completed(sent, received);
    }

    private TransferResult download(
            FrameFile file,
            String name,
            List<CodecUsage> packed,
            AgentInfo facts,
            TransferSettings settings,
            Reconnection connection)
            throws IOException, InterruptedException {
        AtomicInteger complete = connection.complete;
        IntConsumer report = entries -> complete.accumulateAndGet(entries, Math::max);
        running.setLink(facts.roundTrip().nanos(), facts.sharedProcessors());
        running.setExpectedBytes(running.completedBytes() + file.wireBytes());
        Pipe rangeRequests = Pipe.createRemoteToLocal();
        ArrayList<Pipe> lanes = new ArrayList<>();
        List<OutputStream> outs = new ArrayList<>();
        for (int i = Math.min(settings.streams(), facts.roundTrip().streams()); i > 0; i--) {
            Pipe lane = Pipe.createLocalToRemote();
            lanes.add(lane);
            outs.add(running.lane(lane.getOut()));
        }
        DownloadReport fetched;
        try (DirectLaneSetup direct = DirectLaneSetup.open(
                settings.directLane(),
                workspace,
                running.transfer().agent(),
                log,
                facts,
                terms -> DirectLaneSessions.ALL.openDownload(file, running::addDirectBytes, report, terms))) {
            long id = SilenceLimit.newId();
            DownloadCallable callable = new DownloadCallable(
                    file.wireBytes(),
                    file.blockSize(),
                    lanes,
                    rangeRequests,
                    direct.offer(),
                    followLinks(),
                    id,
                    complete.get());
            long start = System.nanoTime();
            try (FrameFileServer server = new FrameFileServer(file, outs, Computer.threadPoolForRemoting);
                    Closeable writes = ChannelWrites.endWithChannel(workspace.getChannel(), server.writes());
                    AgentCall<DownloadReport> agent = AgentCall.start(
                            workspace,
                            callable,
                            failure -> explain(
                                    file, name, server.failureOr(direct.explain(AgentCall.describe(failure), failure))),
                            id)) {
                server.start(rangeRequests.getIn(), report);
                long most = MAX_REQUESTS * file.wireBytes() + Credit.WINDOW;
                agent.limit(new SilenceLimit(running, workspace.getChannel(), id, server::isReading, most));
                fetched = agent.report();
                direct.recordOutcome(fetched.direct(), log);
                long waiting = Math.min(fetched.received().figures().linkNanos(), System.nanoTime() - start);
                if (file.wireBytes() >= AgentProfile.MIN_SAMPLE_BYTES) {
                    AgentProfile.of(workspace, running.transfer().job())
                            .put(
                                    AgentProfile.Property.DOWNLINK,
                                    facts.roundTrip().nanosPerByte(waiting, file.wireBytes()));
                }
            }
        } catch (ExplainedException e) {
            throw isCorruptStash(e)
                            && running.disk()
                                    .call(() -> !FrameFileTarInputStream.isIntact(file, Computer.threadPoolForRemoting))
                    ? damagedStash(e.getMessage(), e)
                    : e;
        }
        return completed(
                fetched.received().withKnownSizes(file.rawBytes(), file.wireBytes()), packed, fetched.direct());
    }

    /** Returns a failure to read or decode a frame file on the controller, with the user's message. */
    public IOException failure(FrameFile file, IOException reason) {
        String message = explain(file, file.name(), reason.getMessage());
        return isCorruptStash(reason) ? damagedStash(message, reason) : new IOException(message, reason);
    }

    private static IOException damagedStash(String message, IOException reason) {
        return new KnownFailureException("damaged-on-disk", Messages.DownloadTransfer_damaged(message), reason);
    }

    private boolean isCorruptStash(IOException failure) {
        return running.transfer().operation() == TransferInfo.Operation.UNSTASH
                && Causes.of(failure).anyMatch(CorruptFrameException.class::isInstance);
    }

    /**
     * Returns the user's message for a failure.
     *
     * @param name file name of the frame file
     * @param agentsReason reason from the agent; a failure to read the file takes precedence
     */
    private String explain(FrameFile file, String name, String agentsReason) {
        TransferInfo transfer = running.transfer();
        IOException unreadable = file.failure();
        String reason = unreadable == null ? agentsReason : unreadable.getMessage();
        if (transfer.operation() == TransferInfo.Operation.FETCH) {
            return Messages.DownloadTransfer_fetchFailed(
                    transfer.stash(), workspace.getRemote(), transfer.agent(), reason);
        }
        return Messages.DownloadTransfer_failed(
                transfer.stash(), workspace.getRemote(), transfer.agent(), reason, name);
    }
}
