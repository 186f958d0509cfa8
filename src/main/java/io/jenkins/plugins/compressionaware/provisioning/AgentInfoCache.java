package io.jenkins.plugins.compressionaware.provisioning;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Channel;
import hudson.remoting.ChannelProperty;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.agent.AgentInfoCallable;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Facts about an agent, kept while it is connected. Any thread may call. */
@Restricted(NoExternalUse.class)
public final class AgentInfoCache {
    private static final ChannelProperty<AgentInfo> PROPERTY =
            new ChannelProperty<>(AgentInfo.class, "artifact transfer");

    /**
     * Calls to begin with, unless an earlier one is short; the first also brings the class. Each following transfer makes one more, as
     * long as their times fall.
     */
    private static final int INITIAL_SAMPLES = 3;

    private AgentInfoCache() {}

    /** Whether the agent has the engine. */
    public static boolean hasEngine(VirtualChannel channel) {
        return getIfKnown(channel) != null;
    }

    /** Facts known without asking; null before the first transfer since the agent connected. */
    @CheckForNull
    public static AgentInfo getIfKnown(VirtualChannel channel) {
        return channel instanceof Channel c ? c.getProperty(PROPERTY) : null;
    }

    /** Facts about an agent since it connected. Asks the agent for missing ones. */
    public static AgentInfo get(VirtualChannel channel) throws IOException, InterruptedException {
        AgentInfo facts = getIfKnown(channel);
        if (facts == null) {
            AgentJar.ENGINE.preload(channel);
            facts = ask(channel, null);
            for (int i = 1; i < INITIAL_SAMPLES && !facts.roundTrip().isShort(); i++) {
                facts = ask(channel, facts);
            }
        } else if (facts.roundTrip().needsRemeasuring()) {
            facts = ask(channel, facts);
        }
        if (channel instanceof Channel c) {
            c.setProperty(PROPERTY, facts);
        }
        return facts;
    }

    private static AgentInfo ask(VirtualChannel channel, @CheckForNull AgentInfo known)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        AgentInfoCallable.Response answer =
                UninterruptedCommand.await(UninterruptedCommand.submit(() -> channel.call(new AgentInfoCallable())));
        long nanos = System.nanoTime() - start;
        return new AgentInfo(
                RoundTripEstimate.measured(known == null ? null : known.roundTrip(), nanos),
                answer.sharedProcessors(new AgentInfoCallable().call()),
                CodecJar.platform(answer.system(), answer.arch()),
                answer.controllerUrl());
    }
}
