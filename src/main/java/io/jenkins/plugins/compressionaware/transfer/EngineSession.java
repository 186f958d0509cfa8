package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.remoting.Pipe;
import hudson.remoting.RemoteOutputStream;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.agent.UploadCallable;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.directlane.DirectLaneSessions;
import io.jenkins.plugins.compressionaware.directlane.DirectLaneSetup;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.provisioning.AgentProfile;
import io.jenkins.plugins.compressionaware.provisioning.CodecDelivery;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The engine that sends files from an agent, with its lanes over the channel, its credit pipe and its direct lane.
 *
 * @param streams number of lanes over the channel
 */
record EngineSession(
        AgentCall<SendReport> call,
        DirectLaneSetup direct,
        Closeable credits,
        AgentProfile profile,
        int streams,
        PrintStream log)
        implements Closeable {
    /** Minimum wire bytes of the bootstrap calls from which the speed of the link can be measured. */
    private static final int MIN_BOOTSTRAP_SAMPLE_BYTES = 128 * 1024;

    /**
     * Starts the engine on the agent of one transfer.
     *
     * @param files files that remain
     * @param bootstrap what was sent before
     * @param signature signature of the reference build's archive; null if no delta is offered
     */
    static EngineSession start(
            UploadTransfer transfer,
            FileSelection files,
            BootstrapCalls bootstrap,
            SendOptions options,
            TransferSettings settings,
            Receiver receiver,
            @CheckForNull byte[] signature)
            throws IOException, InterruptedException {
        long linkNanos = bootstrap.linkNanos();
        FilePath workspace = transfer.workspace();
        RunningTransfer running = transfer.running();
        AgentInfo facts = AgentInfo.of(workspace.getChannel());
        running.setLink(facts.roundTrip().nanos(), facts.sharedProcessors());
        AgentProfile profile = AgentProfile.of(workspace, running.transfer().job());
        DirectLaneSetup direct = DirectLaneSetup.open(
                settings.directLane(),
                workspace,
                running.transfer().agent(),
                transfer.log(),
                facts,
                terms -> DirectLaneSessions.ALL.openUpload(
                        receiver.inbox().newDirectReceiver(), running::addDirectBytes, terms));
        AgentCall<SendReport> call = null;
        boolean started = false;
        try {
            double link = bootstrap.wireBytes() >= MIN_BOOTSTRAP_SAMPLE_BYTES
                    ? facts.roundTrip().nanosPerByte(linkNanos, bootstrap.wireBytes())
                    : signature == null ? Double.NaN : profile.find(AgentProfile.Property.UPLINK);
            boolean libraries = options.compression() instanceof CompressionMode.Fixed fixed
                    ? fixed.choice().codec().needsLibrary()
                    : !CodecDelivery.areTooExpensive(workspace.getChannel(), link, bootstrap.wireBytes());
            deliver(libraries, options, workspace.getChannel(), facts.platform(), transfer.log());
            ArrayList<RemoteOutputStream> lanes = Stream.generate(receiver.inbox()::newLane)
                    .map(running::lane)
                    .map(RemoteOutputStream::new)
                    .limit(Math.min(settings.streams(), facts.roundTrip().streams()))
                    .collect(Collectors.toCollection(ArrayList::new));
            long id = SilenceLimit.newId();
            Pipe credits = Pipe.createLocalToRemote();
            long credit = receiver.inbox().credit();
            UploadCallable send = new UploadCallable(
                    files,
                    options,
                    lanes,
                    credits,
                    credit,
                    receiver.inbox().heap(),
                    receiver.inbox().frames(),
                    facts.roundTrip().nanos(),
                    libraries || Double.isNaN(link) ? profile.find(AgentProfile.Property.WRITE_COST) : link,
                    facts.sharedProcessors(),
                    direct.offer(),
                    signature,
                    id);
            call = AgentCall.start(
                    workspace,
                    send,
                    failure -> transfer.explain(direct.explain(AgentCall.describe(failure), failure)),
                    id);
            // the receiver is never busy when it checks the limit, because it checks only while it waits
            call.limit(new SilenceLimit(running, workspace.getChannel(), id, () -> false, Long.MAX_VALUE));
            EngineSession engine = new EngineSession(
                    call, direct, receiver.sendCredit(credits.getOut(), credit), profile, lanes.size(), transfer.log());
            started = true;
            return engine;
        } finally {
            if (!started) {
                direct.close();
                if (call != null) {
                    call.close();
                }
            }
        }
    }

    /** Sends the libraries of the checksum and, if {@code codecs}, of codecs to the agent. With {@code auto}, lz4-java is sent only if zstd does not work. */
    private static void deliver(
            boolean codecs, SendOptions options, VirtualChannel agent, String platform, PrintStream log)
            throws InterruptedException {
        CompressionMode mode = options.compression();
        boolean zstd = codecs && mode.zstd() && CodecDelivery.deliver(agent, platform, CodecLibrary.ZSTD) == null;
        boolean lz4 = options.checksum().library() != null || codecs && mode.lz4() && !zstd;
        String problem = lz4 ? CodecDelivery.deliver(agent, platform, CodecLibrary.LZ4) : null;
        if (problem != null) {
            log.println(BuildLogMessages.oneLine(Messages.UploadTransfer_agentReplacesLz4(problem)));
        }
    }

    /**
     * Waits for the agent to finish and returns its report. Records the outcome. Logs failures of direct lanes, and the reason if zstd does not work.
     *
     * @param wireBytes bytes that the receiver got from the engine
     * @param elapsed returns the nanoseconds since the transfer began
     */
    SendReport report(long wireBytes, LongSupplier elapsed) throws IOException, InterruptedException {
        SendReport sent = call.report();
        CodecDelivery.addSentBytes(direct.channel(), wireBytes);
        profile.put(AgentProfile.Property.WRITE_COST, laneNanosPerByte(sent, streams, wireBytes, elapsed.getAsLong()));
        direct.recordOutcome(sent.direct(), log);
        String problem = sent.zstdProblem();
        if (problem != null) {
            log.println(BuildLogMessages.oneLine(
                    sent.auto()
                            ? Messages.UploadTransfer_agentLacksZstd(problem)
                            : Messages.UploadTransfer_agentReplacesZstd(problem)));
        }
        return sent;
    }

    /** Returns nanoseconds per byte while the lanes were writing; NaN for a short transfer. The agent measures this time, and may lie about it. */
    static double laneNanosPerByte(SendReport sent, int streams, long wireBytes, long elapsed) {
        int connections = sent.direct() == null ? 0 : sent.direct().connections();
        int lanes = connections > 0 ? Math.min(connections, DirectLaneSessions.CONNECTIONS_PER_AGENT) : streams;
        // an empty stream window accepts the first bytes without delay
        long bytes = wireBytes - (connections > 0 ? 0 : (long) streams * Credit.STREAM_WINDOW);
        // measures only writes: otherwise slow compression would look like a slow link, and the next transfer would
        // compress more
        return bytes < AgentProfile.MIN_SAMPLE_BYTES
                ? Double.NaN
                : Math.min((double) sent.figures().linkNanos() / lanes, elapsed) / bytes;
    }

    @Override
    public void close() throws IOException {
        try (direct;
                call;
                credits) {
            // closes them in reverse order
        }
    }
}
