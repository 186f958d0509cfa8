package io.jenkins.plugins.compressionaware.directlane;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Extension;
import hudson.FilePath;
import hudson.XmlFile;
import hudson.model.Computer;
import hudson.model.Saveable;
import hudson.model.listeners.SaveableListener;
import hudson.remoting.Channel;
import hudson.remoting.ChannelProperty;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneException;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneReport;
import io.jenkins.plugins.compressionaware.engine.http.LaneFailure;
import io.jenkins.plugins.compressionaware.engine.http.Seal;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.Causes;
import io.jenkins.plugins.compressionaware.report.KnownFailureException;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.Jenkins;
import jenkins.model.JenkinsLocationConfiguration;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The direct lanes of one transfer, or none. Opens a session for the agent's requests, and remembers how the last attempt on this agent ended.
 *
 * @param settingsVersion {@link #SETTINGS_VERSION} at the start of the transfer
 * @param transfer null if the agent must use only its channel
 * @param offer offer for the agent; null if the agent must use only its channel
 */
@Restricted(NoExternalUse.class)
public record DirectLaneSetup(
        VirtualChannel channel,
        int settingsVersion,
        @CheckForNull DirectLaneSessions.Session transfer,
        @CheckForNull DirectLaneOffer offer)
        implements Closeable {
    private static final ChannelProperty<LaneMemory> PROPERTY = new ChannelProperty<>(LaneMemory.class, "direct lane");

    /** Nanoseconds for which an agent uses only the channel after a failed direct lane. */
    private static final long RETRY_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** Nanoseconds for which an agent uses only the channel after a failure that does not pass by waiting. */
    private static final long NEVER_NANOS = TimeUnit.DAYS.toNanos(36_500);

    /** Milliseconds of the quickest request from which something delays all requests: agents with a long round trip get no offer. */
    private static final long SLOW_ANSWER_MILLIS = 500;

    private static final int MIN_CONNECTIONS = 3;

    /** Number of saves of settings that affect direct lanes. Direct lanes that failed before the last save are tried again. */
    private static final AtomicInteger SETTINGS_VERSION = new AtomicInteger();

    /** Counts each save, even without a change, because one more attempt is cheap. */
    @Extension
    public static final class SaveListener extends SaveableListener {
        @Override
        public void onChange(Saveable saved, XmlFile file) {
            if (saved instanceof ArtifactManagerConfiguration || saved instanceof JenkinsLocationConfiguration) {
                SETTINGS_VERSION.incrementAndGet();
            }
        }
    }

    /**
     * Outcome of the last attempt on an agent, kept until the agent reconnects.
     *
     * @param last {@code OPEN} or {@code LOST} after an attempt, {@code NOT_NEEDED} before the first
     * @param notUntil {@link System#nanoTime} until which no lane is opened
     * @param bodyLimit see {@link DirectLaneOffer#bodyLimit}
     * @param problem last failure, in one line; null if there was none
     * @param settingsVersion {@link #SETTINGS_VERSION} at the last attempt
     */
    private record LaneMemory(
            LaneState.Status last,
            long notUntil,
            int bodyLimit,
            @CheckForNull String problem,
            Set<LaneFailure> causes,
            int settingsVersion) {
        static LaneMemory of(VirtualChannel channel) {
            LaneMemory known = channel instanceof Channel c ? c.getProperty(PROPERTY) : null;
            return known != null
                    ? known
                    : new LaneMemory(LaneState.Status.NOT_NEEDED, 0, DirectLaneOffer.MAX_BODY, null, Set.of(), 0);
        }

        /** Returns the outcome of the last attempt, but forgets a lost lane once the settings were saved. */
        LaneState.Status status() {
            boolean changed = settingsVersion != SETTINGS_VERSION.get();
            return last == LaneState.Status.LOST && changed ? LaneState.Status.NOT_NEEDED : last;
        }

        boolean isBackingOff() {
            return status() == LaneState.Status.LOST && System.nanoTime() - notUntil < 0;
        }
    }

    /**
     * Opens a session for the agent's requests, unless direct lanes are off, not possible, or failed recently.
     *
     * @param openSession opens a session of {@link DirectLaneSessions#ALL}; called only if lanes are offered
     * @throws IOException if a direct lane is required but no address is known
     * @throws InterruptedException if interrupted while a required direct lane waits for a connection
     */
    public static DirectLaneSetup open(
            DirectLane mode,
            FilePath workspace,
            String agent,
            PrintStream log,
            AgentInfo facts,
            Function<DirectLaneSessions.Terms, DirectLaneSessions.Session> openSession)
            throws IOException, InterruptedException {
        VirtualChannel channel = workspace.getChannel();
        boolean required = mode == DirectLane.REQUIRED;
        DirectLaneSetup withoutLane = new DirectLaneSetup(channel, SETTINGS_VERSION.get(), null, null);
        if (mode == DirectLane.OFF) {
            return withoutLane;
        }
        LaneMemory known = LaneMemory.of(channel);
        ArrayList<String> urls = addresses(facts).stream()
                .map(url -> url + DirectLaneEndpoint.PATH)
                .collect(Collectors.toCollection(ArrayList::new));
        if (urls.isEmpty() || !Seal.works()) {
            if (required) {
                throw urls.isEmpty()
                        ? new KnownFailureException(
                                "direct-http-transfer-is-required-but-3", Messages.DirectLaneSetup_noUrl())
                        : new KnownFailureException(
                                "direct-http-transfer-is-required-but", Messages.DirectLaneSetup_noCipher());
            }
            return withoutLane;
        }
        // streams are faster on a long round trip, because a connection sends no request before the previous response
        if (!required && (known.isBackingOff() || facts.roundTrip().isFar())) {
            return withoutLane;
        }
        // as many connections as streams if the round trip limits each of them
        int connections = Math.max(MIN_CONNECTIONS, facts.roundTrip().streams());
        DirectLaneSessions.Session transfer = openSession.apply(new DirectLaneSessions.Terms(agent, connections));
        try {
            if (required) {
                transfer.awaitConnection(log);
            }
            return new DirectLaneSetup(
                    channel,
                    withoutLane.settingsVersion,
                    transfer,
                    new DirectLaneOffer(
                            urls,
                            transfer.secret(),
                            connections,
                            required,
                            known.bodyLimit,
                            DirectLaneOffer.Limits.USUAL));
        } catch (Throwable e) { // an OutOfMemoryError or an interrupt, for example
            transfer.close();
            throw e;
        }
    }

    private static List<String> addresses(AgentInfo facts) {
        return LaneAddresses.of(Jenkins.get().getRootUrl(), facts.controllerUrl());
    }

    /** Returns the state of an agent as {@link #open} would decide now. Only for an agent that has had a transfer. */
    static LaneState state(Computer computer, Channel channel, AgentInfo facts, TransferSettings settings) {
        DirectLane mode = settings.directLane();
        LaneMemory known = LaneMemory.of(channel);
        LaneState.Status status;
        if (mode == DirectLane.OFF) {
            status = LaneState.Status.OFF;
        } else if (addresses(facts).isEmpty()) {
            status = LaneState.Status.NO_ADDRESS;
        } else if (facts.roundTrip().isFar() && mode != DirectLane.REQUIRED) {
            status = LaneState.Status.FAR;
        } else {
            status = known.status();
        }
        String advice = status == LaneState.Status.OFF ? null : LaneAdvice.of(known.causes);
        int streams = facts.roundTrip().streams();
        return new LaneState(
                computer.getDisplayName(),
                computer.getUrl(),
                status,
                known.problem,
                advice,
                facts.roundTrip().nanos(),
                streams,
                Math.min(settings.streams(), streams));
    }

    /** Returns the agent's reason for a failure, with advice if the cause is a required direct lane. */
    public String explain(String reason, Throwable failure) {
        return Causes.of(failure)
                .filter(DirectLaneException.class::isInstance)
                .findFirst()
                .map(lane -> withAdvice(reason, ((DirectLaneException) lane).kinds()))
                .orElse(reason);
    }

    private static String withAdvice(String reason, Set<LaneFailure> causes) {
        String advice = LaneAdvice.of(causes);
        return advice == null ? reason : reason + ". " + advice;
    }

    /** Records the outcome for this agent, and logs a failed connection or lane, or slow answers. */
    public void recordOutcome(@CheckForNull DirectLaneReport report, PrintStream log) {
        if (report == null) {
            return;
        }
        String problem = report.problem() == null ? null : BuildLogMessages.oneLine(report.problem());
        if (problem != null) {
            String reason = withAdvice(problem, report.kinds());
            log.println(
                    report.failed()
                            ? Messages.DirectLaneSetup_failed(reason)
                            : Messages.DirectLaneSetup_connection(reason));
        } else if (report.wireBytes() > 0 // a probe alone may only show that a fresh JVM is slow
                && TimeUnit.NANOSECONDS.toMillis(report.answerNanos()) >= SLOW_ANSWER_MILLIS) {
            log.println(Messages.DirectLaneSetup_slow(TimeUnit.NANOSECONDS.toMillis(report.answerNanos())));
        }
        // the agent's report is not trusted
        int bodyLimit = Math.max(1, Math.min(DirectLaneOffer.MAX_BODY, report.bodyLimit()));
        if (channel instanceof Channel c) {
            LaneState.Status last = report.failed() ? LaneState.Status.LOST : LaneState.Status.OPEN;
            // a busy proxy answers soon, so an attempt costs little
            boolean pauses = report.failed() && !report.kinds().contains(LaneFailure.BUSY);
            long retry = report.kinds().contains(LaneFailure.NO_CIPHER) ? NEVER_NANOS : RETRY_NANOS;
            long notUntil = System.nanoTime() + (pauses ? retry : 0);
            c.setProperty(
                    PROPERTY, new LaneMemory(last, notUntil, bodyLimit, problem, report.kinds(), settingsVersion));
        }
    }

    @Override
    public void close() {
        if (transfer != null) {
            transfer.close();
        }
    }
}
