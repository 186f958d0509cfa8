package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.remoting.Pipe;
import hudson.remoting.RemoteOutputStream;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.engine.adaptive.Selector;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecProbe;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.directlane.AgentKind;
import io.jenkins.plugins.compressionaware.directlane.DirectAccess;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.receive.SenderWatch;
import io.jenkins.plugins.compressionaware.agent.Selection;
import io.jenkins.plugins.compressionaware.agent.SendFiles;
import io.jenkins.plugins.compressionaware.report.LogLine;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.engine.send.Compression;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.provisioning.AboutAgent;
import io.jenkins.plugins.compressionaware.provisioning.AgentCodecs;
import io.jenkins.plugins.compressionaware.provisioning.AgentFacts;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The sending end on an agent, with all its ways to a receiver: lanes over the channel, credit, and the direct lane. */
final class Engine implements SenderWatch, Closeable {
    /** Wire bytes of the first calls that show how fast the link is. */
    private static final int SHOWS_LINK = 128 * 1024;

    private final VirtualChannel channel;
    private final AgentCall<SendReport> call;
    private final DirectAccess direct;
    private final AgentKind kind;
    private final int streams;

    interface Start {
        /**
         * @param files          files to send
         * @param firstWireBytes bytes of the first calls
         * @param firstNanos     time in which they arrived, without the agent's work
         */
        Engine start(Selection files, long firstWireBytes, long firstNanos) throws IOException, InterruptedException;
    }

    Engine(VirtualChannel channel, AgentCall<SendReport> call, DirectAccess direct, AgentKind kind, int streams) {
        this.channel = channel;
        this.call = call;
        this.direct = direct;
        this.kind = kind;
        this.streams = streams;
    }

    /**
     * @param files   files to send
     * @param credits leads to the agent
     * @param earlier list of an earlier build's content, for the agent; null if nothing
     * @param firstWireBytes see {@link Start}
     * @param firstNanos     see {@link Start}
     */
    static Engine start(
            FilePath workspace,
            Selection files,
            long firstWireBytes,
            long firstNanos,
            SendOptions options,
            TransferSettings settings,
            Receiver receiver,
            RunningTransfer running,
            Pipe credits,
            @CheckForNull byte[] earlier)
            throws IOException, InterruptedException {
        AgentFacts facts = AboutAgent.of(workspace.getChannel());
        running.knows(facts.roundTrip().nanos(), facts.sharedProcessors());
        AgentKind kind = AgentKind.of(workspace, running.transfer().job());
        DirectAccess direct = DirectAccess.open(settings.directLane(), workspace, facts, receiver::direct, running);
        boolean started = false;
        try {
            double link = firstWireBytes >= SHOWS_LINK
                    ? facts.roundTrip().nanosPerByte(firstNanos, firstWireBytes)
                    : earlier == null ? Double.NaN : kind.uplinkNanosPerByte();
            boolean libraries = options.compression() instanceof Compression.Fixed fixed
                    ? fixed.choice().codec().needsLibrary()
                    : !AgentCodecs.areTooMuch(workspace.getChannel(), link, firstWireBytes);
            if (libraries) {
                AgentCodecs.bring(workspace.getChannel(), facts.platform());
            }
            ArrayList<RemoteOutputStream> lanes = Stream.generate(receiver::newLane)
                    .map(running::lane)
                    .map(RemoteOutputStream::new)
                    .limit(Math.min(settings.lanes(), facts.roundTrip().lanes()))
                    .collect(Collectors.toCollection(ArrayList::new));
            long id = SilenceLimit.newId();
            SendFiles send = new SendFiles(
                    files,
                    options,
                    lanes,
                    credits,
                    receiver.credit(),
                    facts.roundTrip().nanos(),
                    libraries || Double.isNaN(link) ? kind.lanesNanosPerByte() : link,
                    facts.sharedProcessors(),
                    direct.offer(),
                    earlier,
                    id);
            AgentCall<SendReport> call = AgentCall.begin(
                    workspace,
                    send,
                    failure -> AgentTransfer.explain(
                            running.transfer(), workspace, direct.explain(AgentCall.reason(failure), failure)),
                    true);
            // the limit is checked only while the receiver has nothing to do
            call.limit(new SilenceLimit(running, workspace.getChannel(), id, () -> false));
            Engine engine = new Engine(workspace.getChannel(), call, direct, kind, lanes.size());
            started = true;
            return engine;
        } finally {
            if (!started) {
                direct.close();
            }
        }
    }

    /** The agent's own report, once it has finished. */
    SendReport report() throws IOException, InterruptedException {
        SendReport sent = call.report();
        AgentCodecs.sent(channel, sent.wireBytes());
        boolean requests = sent.direct() != null && sent.direct().connections() > 0;
        int lanes = requests ? sent.direct().connections() : streams;
        // an empty window accepts the first bytes without delay
        long bytes = sent.wireBytes() - (requests ? 0 : (long) streams * Selector.STREAM_WINDOW);
        if (bytes >= AgentTransfer.TELLING) {
            // only the time of writes: slow compression would otherwise look like a slow link, and the next transfer
            // would compress more
            kind.sawLanes((double) sent.writeNanos() / lanes / bytes);
        }
        return sent;
    }

    @Override
    public void check() throws IOException, InterruptedException {
        call.check();
    }

    /** Records the outcome for this agent and reports anything unexpected. */
    void learn(SendReport sent, PrintStream log) {
        direct.learn(sent.direct(), log);
        sent.unusable().forEach(lacking -> log.println(LogLine.oneLine(describe(lacking))));
    }

    static String describe(CodecProbe.Unusable lacking) {
        String codec = lacking.codec().symbol();
        if (lacking.replacement() == null && lacking.codec() == Codec.ZSTD) {
            return Messages.AgentTransfer_agentLacksZstd(codec, lacking.reason());
        }
        return lacking.replacement() == null
                ? Messages.AgentTransfer_agentLacks(codec, lacking.reason())
                : Messages.AgentTransfer_agentReplaces(
                        codec, lacking.replacement().symbol(), lacking.reason());
    }

    @Override
    public void close() {
        call.close();
        direct.close();
    }
}
