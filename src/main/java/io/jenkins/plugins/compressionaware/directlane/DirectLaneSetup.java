package io.jenkins.plugins.compressionaware.directlane;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.remoting.Channel;
import hudson.remoting.ChannelProperty;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneException;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneReport;
import io.jenkins.plugins.compressionaware.engine.lane.LaneFailure;
import io.jenkins.plugins.compressionaware.engine.receive.DirectReceiver;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.CauseChain;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** One transfer's direct lanes, if it has any, and the facts known about those of its agent. */
@Restricted(NoExternalUse.class)
public final class DirectLaneSetup implements Closeable {
    private static final ChannelProperty<LaneMemory> PROPERTY = new ChannelProperty<>(LaneMemory.class, "direct lane");

    /** Nanoseconds for which an agent uses only the channel after its direct lane has failed. */
    private static final long RETRY_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** Connections of one transfer, at least. */
    private static final int CONNECTIONS = 3;

    private final VirtualChannel channel;

    /** {@link LaneSettingsGeneration#generation} when the transfer began. */
    private final int settings = LaneSettingsGeneration.generation();

    private final DirectLaneSessions.Session transfer;
    private final DirectLaneOffer offer;

    /**
     * Facts about an agent until it reconnects.
     *
     * @param last     how the last try ended: open or lost; not needed if there was none
     * @param notUntil {@link System#nanoTime} until which no lane is tried
     * @param bodyLimit see {@link DirectLaneOffer#bodyLimit}
     * @param trouble the last trouble, in one line; null if none
     * @param kinds kinds of the last trouble
     * @param settings {@link LaneSettingsGeneration#generation} at the last try
     */
    private record LaneMemory(
            LaneState.Status last,
            long notUntil,
            int bodyLimit,
            @CheckForNull String trouble,
            Set<LaneFailure> kinds,
            int settings) {
        static LaneMemory of(VirtualChannel channel) {
            LaneMemory known = channel instanceof Channel c ? c.getProperty(PROPERTY) : null;
            return known != null
                    ? known
                    : new LaneMemory(LaneState.Status.NOT_NEEDED, 0, DirectLaneOffer.MAX_BODY, null, Set.of(), 0);
        }

        /** A lane that was lost before the settings changed counts as one that was not tried. */
        LaneState.Status kind() {
            boolean changed = settings != LaneSettingsGeneration.generation();
            return last == LaneState.Status.LOST && changed ? LaneState.Status.NOT_NEEDED : last;
        }

        boolean isBackingOff() {
            return kind() == LaneState.Status.LOST && System.nanoTime() - notUntil < 0;
        }
    }

    private DirectLaneSetup(
            VirtualChannel channel,
            @CheckForNull DirectLaneSessions.Session transfer,
            @CheckForNull DirectLaneOffer offer) {
        this.channel = channel;
        this.transfer = transfer;
        this.offer = offer;
    }

    /**
     * Admits the agent's requests.
     *
     * @param agent    the agent's workspace
     * @param receiver takes the frames; asked for only if lanes are offered
     * @throws IOException if a direct lane is required and there is no address
     */
    public static DirectLaneSetup open(
            DirectLane mode,
            FilePath agent,
            AgentInfo facts,
            Supplier<DirectReceiver> receiver,
            RunningTransfer running)
            throws IOException {
        return open(
                mode,
                agent,
                facts,
                running,
                connections -> DirectLaneSessions.ALL.openUpload(receiver.get(), running::addDirectBytes, connections));
    }

    /** Admits the agent's requests for a file. */
    public static DirectLaneSetup open(
            DirectLane mode, FilePath agent, AgentInfo facts, FrameFile file, RunningTransfer running)
            throws IOException {
        return open(
                mode,
                agent,
                facts,
                running,
                connections -> DirectLaneSessions.ALL.openDownload(file, running::addDirectBytes, connections));
    }

    private static DirectLaneSetup open(
            DirectLane mode,
            FilePath agent,
            AgentInfo facts,
            RunningTransfer running,
            IntFunction<DirectLaneSessions.Session> admit)
            throws IOException {
        VirtualChannel channel = agent.getChannel();
        boolean required = mode == DirectLane.REQUIRED;
        DirectLaneSetup none = new DirectLaneSetup(channel, null, null);
        if (mode == DirectLane.OFF) {
            return none;
        }
        LaneMemory known = LaneMemory.of(channel);
        ArrayList<String> urls = addresses(facts).stream()
                .map(url -> url + DirectLaneEndpoint.PATH)
                .collect(Collectors.toCollection(ArrayList::new));
        if (urls.isEmpty()) {
            if (required) {
                throw new IOException(Messages.DirectLaneSetup_noUrl());
            }
            return none;
        }
        // far away, streams are faster: a connection sends no request before the last one is answered. At 100 ms, text
        // took four times as long
        if (!required && (known.isBackingOff() || facts.roundTrip().isFar())) {
            return none;
        }
        // as many as streams, where the round trip limits each of them
        int connections = Math.max(CONNECTIONS, facts.roundTrip().lanes());
        DirectLaneSessions.Session transfer = admit.apply(connections);
        return new DirectLaneSetup(
                channel,
                transfer,
                new DirectLaneOffer(
                        urls,
                        transfer.secret(),
                        mode == DirectLane.PLAIN,
                        connections,
                        required,
                        known.bodyLimit,
                        DirectLaneOffer.Limits.USUAL));
    }

    private static List<String> addresses(AgentInfo facts) {
        return LaneAddresses.of(Jenkins.get().getRootUrl(), facts.controllerUrl());
    }

    /** The state of an agent that has had a transfer, as {@link #open} would see it now. */
    static LaneState state(DirectLane mode, Channel channel, AgentInfo facts) {
        LaneMemory known = LaneMemory.of(channel);
        LaneState.Status kind;
        if (mode == DirectLane.OFF) {
            kind = LaneState.Status.OFF;
        } else if (addresses(facts).isEmpty()) {
            kind = LaneState.Status.NO_ADDRESS;
        } else if (facts.roundTrip().isFar() && mode != DirectLane.REQUIRED) {
            kind = LaneState.Status.FAR;
        } else {
            kind = known.kind();
        }
        String advice = kind == LaneState.Status.OFF ? null : LaneAdvice.of(known.kinds);
        return new LaneState(
                kind,
                known.trouble,
                advice,
                facts.roundTrip().nanos(),
                facts.roundTrip().lanes());
    }

    /** The offer for the agent; null if it is to use only its channel. */
    @CheckForNull
    public DirectLaneOffer offer() {
        return offer;
    }

    /** The agent's reason for a failure, with advice if the cause is a direct lane that is required. */
    public String explain(String reason, Throwable failure) {
        return CauseChain.of(failure)
                .filter(DirectLaneException.class::isInstance)
                .findFirst()
                .map(lane -> withAdvice(reason, ((DirectLaneException) lane).kinds()))
                .orElse(reason);
    }

    private static String withAdvice(String trouble, Set<LaneFailure> kinds) {
        String advice = LaneAdvice.of(kinds);
        return advice == null ? trouble : trouble + ". " + advice;
    }

    /** Records the outcome for this agent, and logs a failed connection or lane. */
    public void recordOutcome(@CheckForNull DirectLaneReport report, PrintStream log) {
        if (report == null) {
            return;
        }
        String trouble = report.problem() == null ? null : BuildLogMessages.oneLine(report.problem());
        if (trouble != null) {
            String why = withAdvice(trouble, report.kinds());
            log.println(
                    report.failed() ? Messages.DirectLaneSetup_trouble(why) : Messages.DirectLaneSetup_connection(why));
        }
        // what an agent says is not trusted
        int bodyLimit = Math.max(1, Math.min(DirectLaneOffer.MAX_BODY, report.bodyLimit()));
        if (channel instanceof Channel c) {
            LaneState.Status last = report.failed() ? LaneState.Status.LOST : LaneState.Status.OPEN;
            long notUntil = System.nanoTime() + (report.failed() ? RETRY_NANOS : 0);
            c.setProperty(PROPERTY, new LaneMemory(last, notUntil, bodyLimit, trouble, report.kinds(), settings));
        }
    }

    @Override
    public void close() {
        if (transfer != null) {
            transfer.close();
        }
    }
}
