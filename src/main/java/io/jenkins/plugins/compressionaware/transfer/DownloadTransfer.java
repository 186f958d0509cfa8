package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.remoting.Pipe;
import hudson.util.VersionNumber;
import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.agent.BootstrapUnstashCallable;
import io.jenkins.plugins.compressionaware.agent.DownloadCallable;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.directlane.AgentProfile;
import io.jenkins.plugins.compressionaware.directlane.DirectLaneSessions;
import io.jenkins.plugins.compressionaware.directlane.DirectLaneSetup;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.adaptive.ContentClass;
import io.jenkins.plugins.compressionaware.engine.adaptive.ContentClassifier;
import io.jenkins.plugins.compressionaware.engine.adaptive.Packing;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneReport;
import io.jenkins.plugins.compressionaware.engine.receive.DownloadReport;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import io.jenkins.plugins.compressionaware.engine.receive.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileServer;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileSink;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.provisioning.AgentJar;
import io.jenkins.plugins.compressionaware.provisioning.CodecDelivery;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
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

    /** Maximum size of the tar in a small stash, bytes. The controller decodes and deflates that much within a few hundredths of a second. */
    private static final int MAX_INLINE_RAW_BYTES = 2 << 20;

    /** Maximum bytes sent with one call, because other calls to the agent wait until these are sent. The classes of the engine have a quarter of this. */
    private static final int MAX_INLINE_BYTES = 1 << 20;

    /** Bytes of the tar in a small stash for which the level is chosen at once. Noise would take three times as long to deflate as text. */
    private static final int INLINE_CHUNK = 16 << 10;

    /** Nanoseconds per byte assumed for a link whose speed is unknown but whose round trip is short (1 Gbit/s) or long (100 Mbit/s). */
    private static final double NEAR_NANOS_PER_BYTE = 8;

    private static final double FAR_NANOS_PER_BYTE = 80;

    /** Number of samples of a frame file that estimate how well its content compresses. */
    private static final int SAMPLE_COUNT = 16;

    /** Minimum wire bytes from which the speed of a link can be measured. */
    private static final int MIN_SAMPLE_BYTES = 1 << 20;

    /** From this version on (weekly: 2.563), core refuses to write through links only in a workspace on the controller. */
    private static final VersionNumber LINKS_FOLLOWED = new VersionNumber("2.555.3");

    /** Blocks and frames in memory while a frame file is repacked: three of each are read ahead, and one of each is in use. */
    private static final int BLOCKS_IN_MEMORY = 8;

    /**
     * Returns how to pack files of this controller for the agent. With {@code auto}, files are compressed only if samples show that the link would take
     * longer, because all builds share the controller's processors. Uncompressed blocks need no library on the agent.
     *
     * @param bytes total size of the files
     */
    public SendOptions packingFor(TransferSettings settings, long bytes, FrameFile files)
            throws IOException, InterruptedException {
        SendOptions wanted = settings.onController();
        if (!(wanted.compression() instanceof CompressionMode.Auto auto)) {
            return StashCodecs.withoutLz4(wanted);
        }
        boolean small = bytes <= MAX_INLINE_RAW_BYTES && !AgentInfo.hasEngine(workspace.getChannel());
        CodecLevel choice = small
                ? CodecLevel.UNCOMPRESSED
                : running.disk()
                        .call(() -> packing(files))
                        .choice(auto.minLevel(), auto.maxLevel(), linkNanosPerByte());
        return wanted.with(new CompressionMode.Fixed(choice));
    }

    /** Returns nanoseconds per wire byte to the agent. The value is a guess before the first transfer to an agent with this profile. */
    private double linkNanosPerByte() throws IOException, InterruptedException {
        double link = AgentProfile.of(workspace, running.transfer().job()).find(AgentProfile.Property.DOWNLINK);
        if (!Double.isNaN(link)) {
            return link;
        }
        // a new agent that is near can answer slowly and then seems far; the first transfer corrects this
        return AgentInfo.of(workspace.getChannel()).roundTrip().isFar() ? FAR_NANOS_PER_BYTE : NEAR_NANOS_PER_BYTE;
    }

    /** Estimates from samples how well a file compresses. Stops at an unreadable block; the transfer then reports the reason. */
    static Packing packing(FrameFile file) {
        Packing packing = new Packing();
        byte[] sample = new byte[Packing.SAMPLE];
        try {
            for (int i = 0; i < SAMPLE_COUNT; i++) {
                packing.sample(sample, file.sample(file.wireBytes() / SAMPLE_COUNT * i, sample));
            }
        } catch (IOException e) {
            return packing;
        }
        return packing;
    }

    /** Unpacks all files and ends the transfer. The message of a failure names the first missing file. */
    public TransferResult run(FrameFile file, TransferSettings settings) throws IOException, InterruptedException {
        return running.run(() -> unpack(file, List.of(), settings));
    }

    /**
     * Unpacks all files for a caller that ends a failed transfer itself.
     *
     * @param packed codecs with which the file was just packed; empty if it was packed earlier
     */
    public TransferResult unpack(FrameFile file, List<CodecUsage> packed, TransferSettings settings)
            throws IOException, InterruptedException {
        // a required direct lane also applies to small files
        boolean canInline = settings.directLane() != DirectLane.REQUIRED;
        byte[] inlineTar = canInline && !AgentInfo.hasEngine(workspace.getChannel())
                ? running.disk().call(() -> deflateIfSmall(file))
                : null;
        if (inlineTar != null) {
            return downloadInline(file, inlineTar);
        }
        AgentInfo facts = AgentInfo.of(workspace.getChannel());
        CodecLevel repacking = packed.isEmpty() ? repackingFor(file, settings) : CodecLevel.UNCOMPRESSED;
        Checksum checksum = settings.checksum();
        boolean required = false;
        for (CodecLibrary library : librariesFor(file, repacking, checksum)) {
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
                ? download(file, file.name(), packed, facts, settings)
                : repackAndDownload(file, repacking, checksum, required, facts, settings);
    }

    /** Returns the libraries that the agent needs for the file, or for the file with which it is replaced. */
    private static Set<CodecLibrary> librariesFor(FrameFile file, CodecLevel repacking, Checksum checksum) {
        if (repacking.equals(CodecLevel.UNCOMPRESSED)) {
            return file.libraries();
        }
        return checksum == Checksum.CRC32C ? Set.of(CodecLibrary.ZSTD) : Set.of(CodecLibrary.values());
    }

    /** Returns how to repack an uncompressed stash: compressed if that saves time. */
    private CodecLevel repackingFor(FrameFile file, TransferSettings settings)
            throws IOException, InterruptedException {
        return settings.toSendOptions().compression() instanceof CompressionMode.Auto auto
                        && file.rawBytes() > MAX_INLINE_RAW_BYTES
                        && file.wireBytes() > file.rawBytes()
                ? running.disk().call(() -> packing(file)).choice(0, auto.maxLevel(), linkNanosPerByte())
                : CodecLevel.UNCOMPRESSED;
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
            TransferSettings settings)
            throws IOException, InterruptedException {
        SendOptions options = new SendOptions(
                new CompressionMode.Fixed(choice), file.blockSize(), SendOptions.BY_PROCESSORS, checksum);
        PackedCopy.Key key = new PackedCopy.Key(file.identity(), options, null);
        long bytes = Math.max(file.wireBytes(), file.rawBytes());
        PackedCopy copy;
        try {
            copy = running.disk()
                    .open(() -> PackedCopy.of(
                            key,
                            bytes,
                            target -> repack(
                                    file, options, target, running.transfer().agent())));
        } catch (IOException e) {
            if (required || file.failure() != null) {
                throw new IOException(explain(file, file.name(), e.getMessage()), e);
            }
            LOGGER.log(Level.INFO, e, () -> "Sending " + file.name() + " without compression");
            return download(file, file.name(), List.of(), facts, settings);
        }
        try (Closeable cleanup = () -> running.disk().runCleanup(copy);
                FrameFile repacked = running.disk().open(() -> FrameFile.open(copy.file()))) {
            return download(repacked, file.name(), copy.usages(), facts, settings);
        }
    }

    private static SendReport repack(FrameFile file, SendOptions options, FrameFileWriter target, String agent)
            throws IOException, InterruptedException {
        try (HeapBudget.Reservation heap = HeapBudget.ofThisJvm()
                        .open((long) BLOCKS_IN_MEMORY * file.blockSize(), 0)
                        .of(agent);
                FrameFileTarInputStream tar = new FrameFileTarInputStream(file, Computer.threadPoolForRemoting)) {
            return FrameFileSink.store(tar, options, target);
        }
    }

    /** Returns the deflated tar to send with one call; null if the tar is too large or damaged. */
    @CheckForNull
    private static byte[] deflateIfSmall(FrameFile file) {
        return deflateIfSmall(file, Computer.threadPoolForRemoting);
    }

    @CheckForNull
    static byte[] deflateIfSmall(FrameFile file, Executor executor) {
        if (file.rawBytes() > MAX_INLINE_RAW_BYTES) {
            return null;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Deflater deflater = new Deflater();
        try (FrameFileTarInputStream tar = new FrameFileTarInputStream(file, executor);
                OutputStream out = new DeflaterOutputStream(bytes, deflater)) {
            byte[] chunk = new byte[INLINE_CHUNK];
            long left = file.rawBytes();
            for (int n = tar.readNBytes(chunk, 0, INLINE_CHUNK); n > 0; n = tar.readNBytes(chunk, 0, INLINE_CHUNK)) {
                left -= n;
                if (left < 0
                        || bytes.size() > MAX_INLINE_BYTES) { // a damaged file may be longer than its footer claims
                    return null;
                }
                boolean noise = ContentClassifier.classify(chunk, n) == ContentClass.NOISE;
                deflater.setLevel(noise ? Deflater.NO_COMPRESSION : BootstrapArchiveCallable.LEVEL);
                out.write(chunk, 0, n);
            }
        } catch (IOException e) {
            // the normal download reports where the file is damaged
            return null;
        } finally {
            deflater.end();
        }
        return bytes.size() > MAX_INLINE_BYTES ? null : bytes.toByteArray();
    }

    private TransferResult downloadInline(FrameFile file, byte[] deflatedTar) throws IOException, InterruptedException {
        AgentJar.SMALL_UNSTASH.preload(workspace.getChannel());
        try (AgentCall<ReceiveReport> call = AgentCall.start(
                workspace,
                new BootstrapUnstashCallable(deflatedTar, followLinks()),
                failure -> explain(file, file.name(), AgentCall.describe(failure)),
                0)) {
            ReceiveReport received = call.report().withKnownSizes(file.rawBytes(), deflatedTar.length);
            running.addChannelBytes(deflatedTar.length);
            CodecLevel gzip = new CodecLevel(Codec.GZIP, BootstrapArchiveCallable.LEVEL);
            return completed(received, List.of(new CodecUsage(gzip, 1, file.rawBytes(), deflatedTar.length, 0)), null);
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
        SendReport sent =
                SendReport.ofFrameFile(received.entries(), received.contentBytes(), received.wireBytes(), direct);
        sent.usages().addAll(packed);
        return running.completed(sent, received);
    }

    private TransferResult download(
            FrameFile file, String name, List<CodecUsage> packed, AgentInfo facts, TransferSettings settings)
            throws IOException, InterruptedException {
        running.knows(facts.roundTrip().nanos(), facts.sharedProcessors());
        running.setExpectedBytes(file.wireBytes());
        AgentJar.FETCH.preload(workspace.getChannel());
        Pipe rangeRequests = Pipe.createRemoteToLocal();
        ArrayList<Pipe> lanes = new ArrayList<>();
        List<OutputStream> outs = new ArrayList<>();
        for (int i = Math.min(settings.lanes(), facts.roundTrip().lanes()); i > 0; i--) {
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
                terms -> DirectLaneSessions.ALL.openDownload(file, running::addDirectBytes, terms))) {
            long id = SilenceLimit.newId();
            DownloadCallable callable = new DownloadCallable(
                    file.wireBytes(), file.blockSize(), lanes, rangeRequests, direct.offer(), followLinks(), id);
            long start = System.nanoTime();
            try (FrameFileServer server = new FrameFileServer(file, outs, Computer.threadPoolForRemoting);
                    AgentCall<DownloadReport> agent = AgentCall.start(
                            workspace,
                            callable,
                            failure -> explain(
                                    file, name, server.failureOr(direct.explain(AgentCall.describe(failure), failure))),
                            id)) {
                server.start(rangeRequests.getIn());
                agent.limit(new SilenceLimit(running, workspace.getChannel(), id, server::isReading));
                fetched = agent.report();
                direct.recordOutcome(fetched.direct(), log);
                long waiting = Math.min(fetched.received().waitingNanos(), System.nanoTime() - start);
                if (file.wireBytes() >= MIN_SAMPLE_BYTES) {
                    AgentProfile.of(workspace, running.transfer().job())
                            .put(
                                    AgentProfile.Property.DOWNLINK,
                                    facts.roundTrip().nanosPerByte(waiting, file.wireBytes()));
                }
            }
        }
        return completed(
                fetched.received().withKnownSizes(file.rawBytes(), file.wireBytes()), packed, fetched.direct());
    }

    /**
     * Returns the user's message for a failure.
     *
     * @param name file name of the frame file
     * @param agentsReason reason from the agent; a failure to read the file takes precedence
     */
    public String explain(FrameFile file, String name, String agentsReason) {
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
