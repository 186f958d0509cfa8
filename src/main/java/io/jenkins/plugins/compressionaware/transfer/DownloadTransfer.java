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
import io.jenkins.plugins.compressionaware.directlane.DirectLaneSetup;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.adaptive.Packing;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecAvailability;
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
import io.jenkins.plugins.compressionaware.engine.staging.PartialPath;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.engine.flow.Tasks;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfoCache;
import io.jenkins.plugins.compressionaware.provisioning.AgentJar;
import io.jenkins.plugins.compressionaware.provisioning.CodecDelivery;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** One transfer of a stored file to an agent, which orders its pieces and unpacks them. */
@Restricted(NoExternalUse.class)
public final class DownloadTransfer {
    /** Most tar bytes of a small stash, which the controller decodes and deflates anew within some hundredths of a second. */
    private static final int MAX_INLINE_RAW_BYTES = 2 << 20;

    /** Most bytes that come with a call: other calls to the agent wait meanwhile. The engine of a fresh agent needs a quarter as many. */
    private static final int MAX_INLINE_BYTES = 1 << 20;

    /** Nanoseconds per byte assumed for an unknown link with a short or long round trip: 1 Gbit/s or 100 Mbit/s. */
    private static final double NEAR = 8;

    private static final double FAR = 80;

    /** Number of samples to estimate how well files compress. */
    private static final int SAMPLES = 16;

    /** Wire bytes that show how fast a link is. */
    private static final int MIN_SAMPLE_BYTES = 1 << 20;

    /** Since this version core refuses to write through links only in a workspace on the controller (weekly releases since 2.563). */
    private static final VersionNumber LINKS_FOLLOWED = new VersionNumber("2.555.3");

    /** Blocks and frames in memory while a stored file is read to be packed anew: three of each ahead, and one of each at work. */
    private static final int BLOCKS_IN_MEMORY = 8;

    private final FilePath workspace;

    private final PrintStream log;
    private final RunningTransfer running;

    /** @param running the transfer, just started; this ends it */
    public DownloadTransfer(FilePath workspace, PrintStream log, RunningTransfer running) {
        this.workspace = workspace;
        this.log = log;
        this.running = running;
    }

    /**
     * Returns how to pack files of this controller for the agent. All builds share the processors here, so {@code auto} compresses only if, by
     * samples of the files, the link would take longer. Stored blocks need no library on the agent.
     *
     * @param bytes of the files
     */
    public SendOptions packingFor(TransferSettings settings, long bytes, FrameFile files)
            throws IOException, InterruptedException {
        SendOptions wanted = settings.toSendOptions();
        if (!(wanted.compression() instanceof CompressionMode.Auto auto)) {
            return StashCodecs.of(wanted);
        }
        boolean small = bytes <= MAX_INLINE_RAW_BYTES && !AgentInfoCache.hasEngine(workspace.getChannel());
        CodecLevel choice =
                small ? CodecLevel.UNCOMPRESSED : packing(files).choice(auto.minLevel(), auto.maxLevel(), link());
        SendOptions packed = StashCodecs.of(wanted.with(new CompressionMode.Fixed(choice)));
        return choice.equals(CodecLevel.UNCOMPRESSED) ? packed.with(Checksum.CRC32C) : packed;
    }

    /** Returns nanoseconds per wire byte; a guess before the first transfer to such an agent. */
    private double link() throws IOException, InterruptedException {
        double link = AgentProfile.of(workspace, running.transfer().job()).nanosPerByte();
        if (!Double.isNaN(link)) {
            return link;
        }
        // a new agent nearby may answer slowly and look far away; such a wrong guess happens only once
        return AgentInfoCache.get(workspace.getChannel()).roundTrip().isFar() ? FAR : NEAR;
    }

    /** Samples uncompressed blocks until one cannot be read; the transfer then fails with the reason. */
    static Packing packing(FrameFile file) {
        Packing packing = new Packing();
        byte[] sample = new byte[Packing.SAMPLE];
        try {
            for (int i = 0; i < SAMPLES; i++) {
                packing.sample(sample, file.sample(file.wireBytes() / SAMPLES * i, sample));
            }
        } catch (IOException e) {
            return packing;
        }
        return packing;
    }

    /** Unpacks all files, or fails with a message that names the first that is missing. */
    public TransferResult run(FrameFile file, TransferSettings settings) throws IOException, InterruptedException {
        return running.run(() -> unpack(file, List.of(), settings));
    }

    /**
     * The same, for a caller that ends a failed transfer itself.
     *
     * @param packed codecs with which the file was just packed; empty if it was packed earlier
     */
    public TransferResult unpack(FrameFile file, List<CodecUsage> packed, TransferSettings settings)
            throws IOException, InterruptedException {
        // a required lane is for everything
        boolean free = settings.directLane() != DirectLane.REQUIRED;
        byte[] small = free && !AgentInfoCache.hasEngine(workspace.getChannel()) ? deflateIfSmall(file) : null;
        if (small != null) {
            return unpack(file, small);
        }
        AgentInfo facts = AgentInfoCache.get(workspace.getChannel());
        CodecLevel anew = packed.isEmpty() ? onTheWay(file, settings) : CodecLevel.UNCOMPRESSED;
        boolean needsLibraries = file.needsLibraries() || anew.codec().needsLibrary();
        CodecAvailability.Unavailable lacking =
                needsLibraries ? CodecDelivery.deliver(workspace.getChannel(), facts.platform()) : null;
        if (lacking != null) {
            // musl, or a temporary folder that is noexec
            log.println(BuildLogMessages.oneLine(EngineSession.describe(lacking)));
            anew = new CodecLevel(Codec.GZIP, Codec.GZIP.defaultLevel());
        }
        return anew.equals(CodecLevel.UNCOMPRESSED)
                ? unpack(file, file.name(), packed, facts, settings)
                : repackAndDownload(file, anew, facts, settings);
    }

    /** Returns how to pack an uncompressed stash if the link takes longer than packing and Jenkins' home has room; else stored. */
    private CodecLevel onTheWay(FrameFile file, TransferSettings settings) throws IOException, InterruptedException {
        return settings.toSendOptions().compression() instanceof CompressionMode.Auto auto
                        && file.rawBytes() > MAX_INLINE_RAW_BYTES
                        && file.wireBytes() > file.rawBytes()
                        && file.wireBytes() < fetched().toFile().getUsableSpace() / 2
                ? packing(file).choice(0, auto.maxLevel(), link())
                : CodecLevel.UNCOMPRESSED;
    }

    private static Path fetched() throws IOException {
        return Files.createDirectories(StartupCleanup.homeFolder("packed"));
    }

    private TransferResult repackAndDownload(
            FrameFile file, CodecLevel choice, AgentInfo facts, TransferSettings settings)
            throws IOException, InterruptedException {
        Path partial = PartialPath.create(fetched());
        try (StagingJournal.Entry underWay = StartupCleanup.journal().open(partial);
                FrameFileWriter writer = new FrameFileWriter(partial, partial, file.blockSize())) {
            List<CodecUsage> packed;
            SendOptions options =
                    new SendOptions(choice.codec(), choice.level(), file.blockSize(), SendOptions.BY_PROCESSORS);
            long heap = (long) BLOCKS_IN_MEMORY * file.blockSize() + FrameFileSink.heap(options);
            try (HeapBudget.Reservation account = HeapBudget.ofThisJvm().open(heap, 0);
                    FrameFileTarInputStream tar = new FrameFileTarInputStream(file, Computer.threadPoolForRemoting)) {
                packed = FrameFileSink.store(tar, options, writer).usages();
            } catch (InterruptedIOException e) {
                throw Tasks.interrupted("Interrupted while packing", e);
            } catch (IOException e) {
                throw new IOException(explain(file, file.name(), e.getMessage()), e);
            }
            try (FrameFile anew = FrameFile.open(partial)) {
                return unpack(anew, file.name(), packed, facts, settings);
            }
        }
    }

    private TransferResult unpack(
            FrameFile file, String name, List<CodecUsage> packed, AgentInfo facts, TransferSettings settings)
            throws IOException, InterruptedException {
        DownloadReport fetched = fetch(file, name, facts, settings);
        return completed(
                fetched.received().withKnownSizes(file.rawBytes(), file.wireBytes()), packed, fetched.direct());
    }

    /** The deflated tar for one call; null if it is too large or damaged. */
    @CheckForNull
    private static byte[] deflateIfSmall(FrameFile file) {
        if (file.rawBytes() > MAX_INLINE_RAW_BYTES) {
            return null;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Deflater deflater = new Deflater(BootstrapArchiveCallable.LEVEL);
        try (FrameFileTarInputStream tar = new FrameFileTarInputStream(file, Computer.threadPoolForRemoting);
                OutputStream out = new DeflaterOutputStream(bytes, deflater)) {
            tar.transferTo(out);
        } catch (IOException e) {
            // the usual way tells where it is damaged
            return null;
        } finally {
            deflater.end();
        }
        return bytes.size() > MAX_INLINE_BYTES ? null : bytes.toByteArray();
    }

    private TransferResult unpack(FrameFile file, byte[] small) throws IOException, InterruptedException {
        AgentJar.SMALL_UNSTASH.preload(workspace.getChannel());
        try (AgentCall<ReceiveReport> call = AgentCall.start(
                workspace,
                new BootstrapUnstashCallable(small, followLinks()),
                failure -> explain(file, file.name(), AgentCall.describe(failure)),
                true)) {
            ReceiveReport received = call.report().withKnownSizes(file.rawBytes(), small.length);
            running.addChannelBytes(small.length);
            CodecLevel gzip = new CodecLevel(Codec.GZIP, BootstrapArchiveCallable.LEVEL);
            return completed(received, List.of(new CodecUsage(gzip, 1, file.rawBytes(), small.length, 0)), null);
        }
    }

    /** Whether to write through links, as copyartifact always has and core does by its version. */
    private boolean followLinks() {
        VersionNumber core = Jenkins.getVersion();
        return running.transfer().kind() == TransferInfo.Operation.FETCH
                || core == null
                || !core.isOlderThan(LINKS_FOLLOWED);
    }

    /** @param packed codecs with which the file was just packed */
    private TransferResult completed(
            ReceiveReport received, List<CodecUsage> packed, @CheckForNull DirectLaneReport direct) {
        received.warnings().forEach(warning -> log.println(BuildLogMessages.completed(warning)));
        SendReport sent =
                SendReport.ofFrameFile(received.entries(), received.contentBytes(), received.wireBytes(), direct);
        sent.usages().addAll(packed);
        return running.completed(sent, received);
    }

    private DownloadReport fetch(FrameFile file, String name, AgentInfo facts, TransferSettings settings)
            throws IOException, InterruptedException {
        running.knows(facts.roundTrip().nanos(), facts.sharedProcessors());
        running.setExpectedBytes(file.wireBytes());
        AgentJar.FETCH.preload(workspace.getChannel());
        Pipe orders = Pipe.createRemoteToLocal();
        ArrayList<Pipe> lanes = new ArrayList<>();
        List<OutputStream> outs = new ArrayList<>();
        for (int i = Math.min(settings.lanes(), facts.roundTrip().lanes()); i > 0; i--) {
            Pipe lane = Pipe.createLocalToRemote();
            lanes.add(lane);
            outs.add(running.lane(lane.getOut()));
        }
        try (DirectLaneSetup direct = DirectLaneSetup.open(settings.directLane(), workspace, facts, file, running)) {
            long id = SilenceLimit.newId();
            DownloadCallable fetch = new DownloadCallable(
                    file.wireBytes(), file.blockSize(), lanes, orders, direct.offer(), followLinks(), id);
            // the sender is closed first: a call that is broken off may leave the sender waiting for orders
            try (AgentCall<DownloadReport> agent = AgentCall.start(
                            workspace,
                            fetch,
                            failure -> explain(file, name, direct.explain(AgentCall.describe(failure), failure)),
                            true);
                    FrameFileServer sender =
                            new FrameFileServer(file, orders.getIn(), outs, Computer.threadPoolForRemoting)) {
                agent.limit(new SilenceLimit(running, workspace.getChannel(), id, sender::isReading));
                DownloadReport fetched = agent.report();
                direct.recordOutcome(fetched.direct(), log);
                long wireBytes = fetched.received().wireBytes();
                if (wireBytes >= MIN_SAMPLE_BYTES) {
                    AgentProfile.of(workspace, running.transfer().job())
                            .recordDownlink(facts.roundTrip()
                                    .nanosPerByte(fetched.received().waitingNanos(), wireBytes));
                }
                return fetched;
            }
        }
    }

    /**
     * Turns a reason for a failure into the user's message.
     *
     * @param name of the stored file
     */
    public String explain(FrameFile file, String name, String agentsReason) {
        TransferInfo transfer = running.transfer();
        IOException unreadable = file.failure();
        String reason = unreadable == null ? agentsReason : unreadable.getMessage();
        if (transfer.kind() == TransferInfo.Operation.FETCH) {
            return Messages.DownloadTransfer_fetchFailed(
                    transfer.stash(), workspace.getRemote(), transfer.agent(), reason);
        }
        return Messages.DownloadTransfer_failed(
                transfer.stash(), workspace.getRemote(), transfer.agent(), reason, name);
    }
}
