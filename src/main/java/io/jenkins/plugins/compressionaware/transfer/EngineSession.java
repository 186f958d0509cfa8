package io.jenkins.plugins.compressionaware.transfer;

import hudson.FilePath;
import hudson.remoting.Pipe;
import hudson.remoting.RemoteOutputStream;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.agent.UploadCallable;
import io.jenkins.plugins.compressionaware.directlane.DirectLaneSessions;
import io.jenkins.plugins.compressionaware.directlane.DirectLaneSetup;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneReport;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.provisioning.AgentProfile;
import io.jenkins.plugins.compressionaware.provisioning.CodecDelivery;
import io.jenkins.plugins.compressionaware.reference.ReferenceBuild;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The engine that sends files from an agent, with its lanes over the channel, its credit pipe and its direct lane.
 *
 * @param streams number of lanes over the channel
 */
record EngineSession(
        Upload upload,
        BootstrapCalls bootstrap,
        AgentCall<SendReport> call,
        DirectLaneSetup direct,
        Closeable credits,
        AgentProfile profile,
        int streams)
        implements Closeable {
    /** Minimum wire bytes of the bootstrap calls from which the speed of the link can be measured. */
    private static final int MIN_BOOTSTRAP_SAMPLE_BYTES = 128 * 1024;

    /**
     * Starts the engine on the agent.
     *
     * @param files files that remain
     * @param bootstrap what was sent before
     */
    static EngineSession start(Upload upload, Receiver receiver, FileSelection files, BootstrapCalls bootstrap)
            throws IOException, InterruptedException {
        long linkNanos = bootstrap.linkNanos();
        FilePath workspace = upload.workspace();
        RunningTransfer running = upload.running();
        SendOptions options = upload.options();
        ReferenceBuild reference = upload.reference();
        AgentInfo facts = AgentInfo.of(workspace.getChannel());
        running.setLink(facts.roundTrip().nanos(), facts.sharedProcessors());
        AgentProfile profile = AgentProfile.of(workspace, running.transfer().job());
        DirectLaneSetup direct = DirectLaneSetup.open(
                upload.settings().directLane(),
                workspace,
                running.transfer().agent(),
                upload.log(),
                facts,
                terms -> DirectLaneSessions.ALL.openUpload(
                        receiver.inbox().newDirectReceiver(), running::addDirectBytes, terms));
        AgentCall<SendReport> call = null;
        boolean started = false;
        try {
            double link = bootstrap.wireBytes() >= MIN_BOOTSTRAP_SAMPLE_BYTES
                    ? facts.roundTrip().nanosPerByte(linkNanos, bootstrap.wireBytes())
                    : reference == null ? Double.NaN : profile.find(AgentProfile.Property.UPLINK);
            boolean libraries = options.compression() instanceof CompressionMode.Fixed fixed
                    ? fixed.choice().codec().needsLibrary()
                    : !CodecDelivery.areTooExpensive(workspace.getChannel(), link, bootstrap.wireBytes());
            deliver(upload, libraries, facts.platform());
            ArrayList<RemoteOutputStream> lanes = Stream.generate(receiver.inbox()::newLane)
                    .map(running::lane)
                    .map(RemoteOutputStream::new)
                    .limit(Math.min(
                            upload.settings().streams(), facts.roundTrip().streams()))
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
                    reference == null ? null : reference.signature(),
                    id);
            call = AgentCall.start(
                    workspace,
                    send,
                    failure -> upload.explain(direct.explain(AgentCall.describe(failure), failure)),
                    id);
            // the receiver is never busy when it checks the limit, because it checks only while it waits
            call.limit(new SilenceLimit(running, workspace.getChannel(), id, () -> false, Long.MAX_VALUE));
            Closeable grants = receiver.sendCredit(credits.getOut(), credit);
            EngineSession engine = new EngineSession(upload, bootstrap, call, direct, grants, profile, lanes.size());
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
    static void deliver(Upload upload, boolean codecs, String platform) throws InterruptedException {
        VirtualChannel agent = upload.workspace().getChannel();
        CompressionMode mode = upload.options().compression();
        boolean zstd = codecs && mode.zstd() && CodecDelivery.deliver(agent, platform, CodecLibrary.ZSTD) == null;
        boolean lz4 = upload.options().checksum().library() != null || codecs && mode.lz4() && !zstd;
        String problem = lz4 ? CodecDelivery.deliver(agent, platform, CodecLibrary.LZ4) : null;
        if (problem != null) {
            upload.log().println(BuildLogMessages.oneLine(Messages.UploadTransfer_agentReplacesLz4(problem)));
        }
    }

    /** Waits for the agent to finish and returns its report. Records the outcome. Logs failures of direct lanes, and the reason if zstd does not work. */
    SendReport report(ReceiveReport received) throws IOException, InterruptedException {
        SendReport sent = call.report();
        long wireBytes = received.figures().wireBytes() - bootstrap.wireBytes();
        CodecDelivery.addSentBytes(direct.channel(), wireBytes);
        profile.put(
                AgentProfile.Property.WRITE_COST, laneNanosPerByte(sent, streams, wireBytes, bootstrap.elapsedNanos()));
        direct.recordOutcome(sent.direct(), upload.log());
        String problem = sent.zstdProblem();
        if (problem != null) {
            upload.log()
                    .println(BuildLogMessages.oneLine(
                            sent.auto()
                                    ? Messages.UploadTransfer_agentLacksZstd(problem)
                                    : Messages.UploadTransfer_agentReplacesZstd(problem)));
        }
        return sent;
    }

    /** Returns nanoseconds per byte while the lanes were writing; NaN for a short transfer. The agent measures this time, and may lie about it. */
    static double laneNanosPerByte(SendReport sent, int streams, long wireBytes, long elapsed) {
        DirectLaneReport used = sent.direct();
        int connections = used == null ? 0 : Math.min(used.connections(), DirectLaneSessions.CONNECTIONS_PER_AGENT);
        // streams and direct lanes send in turn
        double share = used == null ? 0 : Math.max(0, Math.min(1, (double) used.wireBytes() / wireBytes));
        double lanes = Math.max(1, streams + share * (connections - streams));
        // an empty stream window accepts the first bytes without delay
        long bytes = wireBytes - (share > 0 ? 0 : (long) streams * Credit.STREAM_WINDOW);
        // measures only writes: otherwise slow compression would look like a slow link, and the next transfer would
        // compress more
        return bytes < AgentProfile.MIN_SAMPLE_BYTES
                ? Double.NaN
                : Math.min(sent.figures().linkNanos() / lanes, elapsed) / bytes;
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
