package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.remoting.Pipe;
import hudson.util.VersionNumber;
import io.jenkins.plugins.compressionaware.engine.adaptive.Choice;
import io.jenkins.plugins.compressionaware.engine.adaptive.Packing;
import io.jenkins.plugins.compressionaware.engine.adaptive.Usage;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecProbe;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.directlane.AgentKind;
import io.jenkins.plugins.compressionaware.directlane.DirectAccess;
import io.jenkins.plugins.compressionaware.engine.receive.Fetched;
import io.jenkins.plugins.compressionaware.engine.receive.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.receive.StoredTar;
import io.jenkins.plugins.compressionaware.agent.FetchStash;
import io.jenkins.plugins.compressionaware.agent.FirstFiles;
import io.jenkins.plugins.compressionaware.agent.SmallUnstash;
import io.jenkins.plugins.compressionaware.report.LogLine;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.engine.send.Compression;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.send.StoredFileSink;
import io.jenkins.plugins.compressionaware.engine.send.StoredSender;
import io.jenkins.plugins.compressionaware.provisioning.AboutAgent;
import io.jenkins.plugins.compressionaware.provisioning.AgentCodecs;
import io.jenkins.plugins.compressionaware.provisioning.AgentFacts;
import io.jenkins.plugins.compressionaware.provisioning.AgentJar;
import io.jenkins.plugins.compressionaware.engine.staging.Notes;
import io.jenkins.plugins.compressionaware.engine.staging.PartialPath;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredFrames;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredWriter;
import io.jenkins.plugins.compressionaware.engine.tar.Tasks;
import io.jenkins.plugins.compressionaware.engine.lane.DirectReport;
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
public final class UnstashTransfer {
    /** Most tar bytes of a small stash, which the controller decodes and deflates anew within some hundredths of a second. */
    private static final int SMALL_RAW = 2 << 20;

    /** Most bytes that come with a call: other calls to the agent wait meanwhile. The engine of a fresh agent needs a quarter as many. */
    private static final int SMALL = 1 << 20;

    /** Nanoseconds per byte assumed for an unknown link with a short or long round trip: 1 Gbit/s or 100 Mbit/s. */
    private static final double NEAR = 8;

    private static final double FAR = 80;

    /** Number of samples to estimate how well files compress. */
    private static final int SAMPLES = 16;

    /** Wire bytes that show how fast a link is. */
    private static final int SHOWS_LINK = 1 << 20;

    /** Since this version core refuses to write through links only in a workspace on the controller (weekly releases since 2.563). */
    private static final VersionNumber LINKS_FOLLOWED = new VersionNumber("2.555.3");

    /** Blocks and frames in memory while a stored file is read to be packed anew: three of each ahead, and one of each at work. */
    private static final int BLOCKS = 8;

    private final FilePath workspace;

    private final PrintStream log;
    private final RunningTransfer running;

    /** @param running the transfer, just started; this ends it */
    public UnstashTransfer(FilePath workspace, PrintStream log, RunningTransfer running) {
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
    public SendOptions packedAs(TransferSettings settings, long bytes, StoredFrames files)
            throws IOException, InterruptedException {
        SendOptions wanted = settings.toSendOptions();
        if (!(wanted.compression() instanceof Compression.Auto auto)) {
            return Storable.of(wanted);
        }
        boolean small = bytes <= SMALL_RAW && !AboutAgent.hasTheEngine(workspace.getChannel());
        Choice choice = small ? Choice.STORED : packing(files).choice(auto.minLevel(), auto.maxLevel(), link());
        SendOptions packed = Storable.of(wanted.with(new Compression.Fixed(choice)));
        return choice.equals(Choice.STORED) ? packed.with(Checksum.CRC32C) : packed;
    }

    /** Returns nanoseconds per wire byte; a guess before the first transfer to such an agent. */
    private double link() throws IOException, InterruptedException {
        double link = AgentKind.of(workspace, running.transfer().job()).nanosPerByte();
        if (!Double.isNaN(link)) {
            return link;
        }
        // a new agent nearby may answer slowly and look far away; such a wrong guess happens only once
        return AboutAgent.of(workspace.getChannel()).roundTrip().isFar() ? FAR : NEAR;
    }

    /** Samples uncompressed blocks until one cannot be read; the transfer then fails with the reason. */
    static Packing packing(StoredFrames file) {
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
    public TransferResult run(StoredFrames file, TransferSettings settings) throws IOException, InterruptedException {
        return running.run(() -> unpack(file, List.of(), settings));
    }

    /**
     * The same, for a caller that ends a failed transfer itself.
     *
     * @param packed codecs with which the file was just packed; empty if it was packed earlier
     */
    public TransferResult unpack(StoredFrames file, List<Usage> packed, TransferSettings settings)
            throws IOException, InterruptedException {
        // a required lane is for everything
        boolean free = settings.directLane() != DirectLane.REQUIRED;
        byte[] small = free && !AboutAgent.hasTheEngine(workspace.getChannel()) ? small(file) : null;
        if (small != null) {
            return unpack(file, small);
        }
        AgentFacts facts = AboutAgent.of(workspace.getChannel());
        Choice anew = packed.isEmpty() ? onTheWay(file, settings) : Choice.STORED;
        boolean needsLibraries = file.needsLibraries() || anew.codec().needsLibrary();
        CodecProbe.Unusable lacking =
                needsLibraries ? AgentCodecs.bring(workspace.getChannel(), facts.platform()) : null;
        if (lacking != null) {
            // musl, or a temporary folder that is noexec
            log.println(LogLine.oneLine(Engine.describe(lacking)));
            anew = new Choice(Codec.GZIP, Codec.GZIP.defaultLevel());
        }
        return anew.equals(Choice.STORED)
                ? unpack(file, file.name(), packed, facts, settings)
                : unpackAnew(file, anew, facts, settings);
    }

    /** Returns how to pack an uncompressed stash if the link takes longer than packing and Jenkins' home has room; else stored. */
    private Choice onTheWay(StoredFrames file, TransferSettings settings) throws IOException, InterruptedException {
        return settings.toSendOptions().compression() instanceof Compression.Auto auto
                        && file.rawBytes() > SMALL_RAW
                        && file.wireBytes() > file.rawBytes()
                        && file.wireBytes() < fetched().toFile().getUsableSpace() / 2
                ? packing(file).choice(0, auto.maxLevel(), link())
                : Choice.STORED;
    }

    private static Path fetched() throws IOException {
        return Files.createDirectories(UnderWay.folder("fetched"));
    }

    private TransferResult unpackAnew(StoredFrames file, Choice choice, AgentFacts facts, TransferSettings settings)
            throws IOException, InterruptedException {
        Path partial = PartialPath.in(fetched());
        try (Notes.Note underWay = UnderWay.notes().begin(partial);
                StoredWriter writer = new StoredWriter(partial, partial, file.blockSize())) {
            List<Usage> packed;
            SendOptions options =
                    new SendOptions(choice.codec(), choice.level(), file.blockSize(), SendOptions.BY_PROCESSORS);
            long heap = (long) BLOCKS * file.blockSize() + StoredFileSink.heap(options);
            try (HeapBudget.Account account = HeapBudget.ofThisJvm().open(heap, 0);
                    StoredTar tar = new StoredTar(file, Computer.threadPoolForRemoting)) {
                packed = StoredFileSink.store(tar, options, writer).usages();
            } catch (InterruptedIOException e) {
                throw Tasks.interrupted("Interrupted while packing", e);
            } catch (IOException e) {
                throw new IOException(explain(file, file.name(), e.getMessage()), e);
            }
            try (StoredFrames anew = StoredFrames.open(partial)) {
                return unpack(anew, file.name(), packed, facts, settings);
            }
        }
    }

    private TransferResult unpack(
            StoredFrames file, String name, List<Usage> packed, AgentFacts facts, TransferSettings settings)
            throws IOException, InterruptedException {
        Fetched fetched = fetch(file, name, facts, settings);
        return completed(fetched.received().of(file.rawBytes(), file.wireBytes()), packed, fetched.direct());
    }

    /** The deflated tar for one call; null if it is too large or damaged. */
    @CheckForNull
    private static byte[] small(StoredFrames file) {
        if (file.rawBytes() > SMALL_RAW) {
            return null;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Deflater deflater = new Deflater(FirstFiles.LEVEL);
        try (StoredTar tar = new StoredTar(file, Computer.threadPoolForRemoting);
                OutputStream out = new DeflaterOutputStream(bytes, deflater)) {
            tar.transferTo(out);
        } catch (IOException e) {
            // the usual way tells where it is damaged
            return null;
        } finally {
            deflater.end();
        }
        return bytes.size() > SMALL ? null : bytes.toByteArray();
    }

    private TransferResult unpack(StoredFrames file, byte[] small) throws IOException, InterruptedException {
        AgentJar.SMALL_UNSTASH.bring(workspace.getChannel());
        try (AgentCall<ReceiveReport> call = AgentCall.begin(
                workspace,
                new SmallUnstash(small, followLinks()),
                failure -> explain(file, file.name(), AgentCall.reason(failure)),
                true)) {
            ReceiveReport received = call.report().of(file.rawBytes(), small.length);
            running.arrived(small.length);
            Choice gzip = new Choice(Codec.GZIP, FirstFiles.LEVEL);
            return completed(received, List.of(new Usage(gzip, 1, file.rawBytes(), small.length, 0)), null);
        }
    }

    /** Whether to write through links, as copyartifact always has and core does by its version. */
    private boolean followLinks() {
        VersionNumber core = Jenkins.getVersion();
        return running.transfer().kind() == Transfer.Kind.FETCH || core == null || !core.isOlderThan(LINKS_FOLLOWED);
    }

    /** @param packed codecs with which the file was just packed */
    private TransferResult completed(ReceiveReport received, List<Usage> packed, @CheckForNull DirectReport direct) {
        received.warnings().forEach(warning -> log.println(LogLine.of(warning)));
        SendReport sent =
                SendReport.ofStored(received.entries(), received.contentBytes(), received.wireBytes(), direct);
        sent.usages().addAll(packed);
        return running.completed(sent, received);
    }

    private Fetched fetch(StoredFrames file, String name, AgentFacts facts, TransferSettings settings)
            throws IOException, InterruptedException {
        running.knows(facts.roundTrip().nanos(), facts.sharedProcessors());
        running.expect(file.wireBytes());
        AgentJar.FETCH.bring(workspace.getChannel());
        Pipe orders = Pipe.createRemoteToLocal();
        ArrayList<Pipe> lanes = new ArrayList<>();
        List<OutputStream> outs = new ArrayList<>();
        for (int i = Math.min(settings.lanes(), facts.roundTrip().lanes()); i > 0; i--) {
            Pipe lane = Pipe.createLocalToRemote();
            lanes.add(lane);
            outs.add(running.lane(lane.getOut()));
        }
        try (DirectAccess direct = DirectAccess.open(settings.directLane(), workspace, facts, file, running)) {
            long id = SilenceLimit.newId();
            FetchStash fetch = new FetchStash(
                    file.wireBytes(), file.blockSize(), lanes, orders, direct.offer(), followLinks(), id);
            // the sender is closed first: a call that is broken off may leave the sender waiting for orders
            try (AgentCall<Fetched> agent = AgentCall.begin(
                            workspace,
                            fetch,
                            failure -> explain(file, name, direct.explain(AgentCall.reason(failure), failure)),
                            true);
                    StoredSender sender =
                            new StoredSender(file, orders.getIn(), outs, Computer.threadPoolForRemoting)) {
                agent.limit(new SilenceLimit(running, workspace.getChannel(), id, sender::isReading));
                Fetched fetched = agent.report();
                direct.learn(fetched.direct(), log);
                long wireBytes = fetched.received().wireBytes();
                if (wireBytes >= SHOWS_LINK) {
                    AgentKind.of(workspace, running.transfer().job())
                            .sawLink(facts.roundTrip()
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
    public String explain(StoredFrames file, String name, String agentsReason) {
        Transfer transfer = running.transfer();
        IOException unreadable = file.failure();
        String reason = unreadable == null ? agentsReason : unreadable.getMessage();
        if (transfer.kind() == Transfer.Kind.FETCH) {
            return Messages.UnstashTransfer_fetchFailed(
                    transfer.stash(), workspace.getRemote(), transfer.agent(), reason);
        }
        return Messages.UnstashTransfer_failed(transfer.stash(), workspace.getRemote(), transfer.agent(), reason, name);
    }
}
