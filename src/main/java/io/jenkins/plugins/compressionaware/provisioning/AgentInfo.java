package io.jenkins.plugins.compressionaware.provisioning;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Channel;
import hudson.remoting.ChannelProperty;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.agent.AgentInfoCallable;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Facts about an agent and its link to the controller, cached while the agent is connected. Thread-safe.
 *
 * @param roundTrip round trip of an empty call
 * @param sharedProcessors processors of the machine that agent and controller share; 0 if the agent has its own machine
 * @param platform platform of the agent, see {@link CodecJar#platform}
 * @param controllerUrl URL at which an inbound agent found the controller; null for other agents
 */
@Restricted(NoExternalUse.class)
public record AgentInfo(
        RoundTripEstimate roundTrip,
        int sharedProcessors,
        String platform,
        @CheckForNull String controllerUrl) {
    private static final ChannelProperty<AgentInfo> PROPERTY =
            new ChannelProperty<>(AgentInfo.class, "artifact transfer");

    /**
     * Number of calls of the first transfer that measure the round trip, unless it is short; the first call also loads the class. Each later transfer makes one
     * more call while the times still decrease.
     */
    private static final int INITIAL_SAMPLES = 3;

    /** Maximum length of a text from the agent, characters. */
    private static final int MAX_TEXT = 500;

    public AgentInfo {
        platform = platform.length() <= MAX_TEXT ? platform : "";
        controllerUrl = controllerUrl == null || controllerUrl.length() <= MAX_TEXT ? controllerUrl : null;
    }

    /** Returns whether the agent has had a transfer with the engine, and so has its classes. */
    public static boolean hasEngine(VirtualChannel channel) {
        return ifKnown(channel) != null;
    }

    /** Returns the cached facts without querying the agent; null before the first transfer since the agent connected. */
    @CheckForNull
    public static AgentInfo ifKnown(VirtualChannel channel) {
        return channel instanceof Channel c ? c.getProperty(PROPERTY) : null;
    }

    /** Returns facts about an agent. Queries the agent for facts that are not cached. */
    public static AgentInfo of(VirtualChannel channel) throws IOException, InterruptedException {
        AgentInfo info = ifKnown(channel);
        if (info == null) {
            AgentJar.ENGINE.preload(channel);
            info = query(channel, null);
            for (int i = 1; i < INITIAL_SAMPLES && !info.roundTrip().isShort(); i++) {
                info = query(channel, info);
            }
        } else if (info.roundTrip().needsRemeasuring()) {
            info = query(channel, info);
        }
        if (channel instanceof Channel c) {
            c.setProperty(PROPERTY, info);
        }
        return info;
    }

    private static AgentInfo query(VirtualChannel channel, @CheckForNull AgentInfo known)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        AgentInfoCallable.Response response = UninterruptedCommand.await(
                UninterruptedCommand.submit(channel, () -> channel.call(new AgentInfoCallable())));
        long nanos = System.nanoTime() - start;
        return new AgentInfo(
                RoundTripEstimate.measured(known == null ? null : known.roundTrip(), nanos),
                response.sharedProcessors(new AgentInfoCallable().call()),
                CodecJar.platform(response.system(), response.arch()),
                response.controllerUrl());
    }
}
