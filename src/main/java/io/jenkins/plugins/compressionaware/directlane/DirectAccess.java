package io.jenkins.plugins.compressionaware.directlane;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.remoting.Channel;
import hudson.remoting.ChannelProperty;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.engine.receive.DirectReceiver;
import io.jenkins.plugins.compressionaware.report.Causes;
import io.jenkins.plugins.compressionaware.report.LogLine;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.provisioning.AgentFacts;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredFrames;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneException;
import io.jenkins.plugins.compressionaware.engine.lane.DirectOffer;
import io.jenkins.plugins.compressionaware.engine.lane.DirectReport;
import io.jenkins.plugins.compressionaware.engine.lane.LaneTrouble;
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
public final class DirectAccess implements Closeable {
    private static final ChannelProperty<Known> PROPERTY = new ChannelProperty<>(Known.class, "direct lane");

    /** Nanoseconds for which an agent uses only the channel after its direct lane has failed. */
    private static final long REST = TimeUnit.MINUTES.toNanos(10);

    /** Connections of one transfer, at least. */
    private static final int CONNECTIONS = 3;

    private final VirtualChannel channel;

    /** {@link LaneSettings#changes} when the transfer began. */
    private final int settings = LaneSettings.changes();

    private final Admissions.Admission transfer;
    private final DirectOffer offer;

    /**
     * Facts about an agent until it reconnects.
     *
     * @param last     how the last try ended: open or lost; not needed if there was none
     * @param notUntil {@link System#nanoTime} until which no lane is tried
     * @param bodyLimit see {@link DirectOffer#bodyLimit}
     * @param trouble the last trouble, in one line; null if none
     * @param kinds kinds of the last trouble
     * @param settings {@link LaneSettings#changes} at the last try
     */
    private record Known(
            LaneState.Kind last,
            long notUntil,
            int bodyLimit,
            @CheckForNull String trouble,
            Set<LaneTrouble> kinds,
            int settings) {
        static Known of(VirtualChannel channel) {
            Known known = channel instanceof Channel c ? c.getProperty(PROPERTY) : null;
            return known != null
                    ? known
                    : new Known(LaneState.Kind.NOT_NEEDED, 0, DirectOffer.MAX_BODY, null, Set.of(), 0);
        }

        /** A lane that was lost before the settings changed counts as one that was not tried. */
        LaneState.Kind kind() {
            boolean changed = settings != LaneSettings.changes();
            return last == LaneState.Kind.LOST && changed ? LaneState.Kind.NOT_NEEDED : last;
        }

        boolean rests() {
            return kind() == LaneState.Kind.LOST && System.nanoTime() - notUntil < 0;
        }
    }

    private DirectAccess(
            VirtualChannel channel, @CheckForNull Admissions.Admission transfer, @CheckForNull DirectOffer offer) {
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
    public static DirectAccess open(
            DirectLane mode,
            FilePath agent,
            AgentFacts facts,
            Supplier<DirectReceiver> receiver,
            RunningTransfer running)
            throws IOException {
        return open(
                mode,
                agent,
                facts,
                running,
                connections -> Admissions.ALL.open(receiver.get(), running::arrivedDirectly, connections));
    }

    /** Admits the agent's requests for a file. */
    public static DirectAccess open(
            DirectLane mode, FilePath agent, AgentFacts facts, StoredFrames file, RunningTransfer running)
            throws IOException {
        return open(
                mode,
                agent,
                facts,
                running,
                connections -> Admissions.ALL.openFor(file, running::arrivedDirectly, connections));
    }

    private static DirectAccess open(
            DirectLane mode,
            FilePath agent,
            AgentFacts facts,
            RunningTransfer running,
            IntFunction<Admissions.Admission> admit)
            throws IOException {
        VirtualChannel channel = agent.getChannel();
        boolean required = mode == DirectLane.REQUIRED;
        DirectAccess none = new DirectAccess(channel, null, null);
        if (mode == DirectLane.OFF) {
            return none;
        }
        Known known = Known.of(channel);
        ArrayList<String> urls = addresses(facts).stream()
                .map(url -> url + DirectLaneEndpoint.PATH)
                .collect(Collectors.toCollection(ArrayList::new));
        if (urls.isEmpty()) {
            if (required) {
                throw new IOException(Messages.DirectAccess_noUrl());
            }
            return none;
        }
        // far away, streams are faster: a connection sends no request before the last one is answered. At 100 ms, text
        // took four times as long
        if (!required && (known.rests() || facts.roundTrip().isFar())) {
            return none;
        }
        // as many as streams, where the round trip limits each of them
        int connections = Math.max(CONNECTIONS, facts.roundTrip().lanes());
        Admissions.Admission transfer = admit.apply(connections);
        return new DirectAccess(
                channel,
                transfer,
                new DirectOffer(
                        urls,
                        transfer.secret(),
                        mode == DirectLane.PLAIN,
                        connections,
                        required,
                        known.bodyLimit,
                        DirectOffer.Limits.USUAL));
    }

    private static List<String> addresses(AgentFacts facts) {
        return LaneAddresses.of(Jenkins.get().getRootUrl(), facts.controllerUrl());
    }

    /** The state of an agent that has had a transfer, as {@link #open} would see it now. */
    static LaneState state(DirectLane mode, Channel channel, AgentFacts facts) {
        Known known = Known.of(channel);
        LaneState.Kind kind;
        if (mode == DirectLane.OFF) {
            kind = LaneState.Kind.OFF;
        } else if (addresses(facts).isEmpty()) {
            kind = LaneState.Kind.NO_ADDRESS;
        } else if (facts.roundTrip().isFar() && mode != DirectLane.REQUIRED) {
            kind = LaneState.Kind.FAR;
        } else {
            kind = known.kind();
        }
        String advice = kind == LaneState.Kind.OFF ? null : LaneAdvice.of(known.kinds);
        return new LaneState(
                kind,
                known.trouble,
                advice,
                facts.roundTrip().nanos(),
                facts.roundTrip().lanes());
    }

    /** The offer for the agent; null if it is to use only its channel. */
    @CheckForNull
    public DirectOffer offer() {
        return offer;
    }

    /** The agent's reason for a failure, with advice if the cause is a direct lane that is required. */
    public String explain(String reason, Throwable failure) {
        return Causes.of(failure)
                .filter(DirectLaneException.class::isInstance)
                .findFirst()
                .map(lane -> withAdvice(reason, ((DirectLaneException) lane).kinds()))
                .orElse(reason);
    }

    private static String withAdvice(String trouble, Set<LaneTrouble> kinds) {
        String advice = LaneAdvice.of(kinds);
        return advice == null ? trouble : trouble + ". " + advice;
    }

    /** Records the outcome for this agent, and logs a failed connection or lane. */
    public void learn(@CheckForNull DirectReport report, PrintStream log) {
        if (report == null) {
            return;
        }
        String trouble = report.trouble() == null ? null : LogLine.oneLine(report.trouble());
        if (trouble != null) {
            String why = withAdvice(trouble, report.kinds());
            log.println(report.lost() ? Messages.DirectAccess_trouble(why) : Messages.DirectAccess_connection(why));
        }
        // what an agent says is not trusted
        int bodyLimit = Math.max(1, Math.min(DirectOffer.MAX_BODY, report.bodyLimit()));
        if (channel instanceof Channel c) {
            LaneState.Kind last = report.lost() ? LaneState.Kind.LOST : LaneState.Kind.OPEN;
            long notUntil = System.nanoTime() + (report.lost() ? REST : 0);
            c.setProperty(PROPERTY, new Known(last, notUntil, bodyLimit, trouble, report.kinds(), settings));
        }
    }

    @Override
    public void close() {
        if (transfer != null) {
            transfer.close();
        }
    }
}
