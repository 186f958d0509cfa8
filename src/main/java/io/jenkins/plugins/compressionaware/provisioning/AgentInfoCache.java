package io.jenkins.plugins.compressionaware.provisioning;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Channel;
import hudson.remoting.ChannelProperty;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.agent.AgentInfoCallable;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Caches facts about an agent while it is connected. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class AgentInfoCache {
    private static final ChannelProperty<AgentInfo> PROPERTY =
            new ChannelProperty<>(AgentInfo.class, "artifact transfer");

    /**
     * Number of calls of the first transfer that measure the round trip, unless it is short; the first call also loads the class. Each later transfer makes one
     * more call while the times still decrease.
     */
    private static final int INITIAL_SAMPLES = 3;

    private AgentInfoCache() {}

    public static boolean hasEngine(VirtualChannel channel) {
        return getIfKnown(channel) != null;
    }

    /** Returns the cached facts without querying the agent; null before the first transfer since the agent connected. */
    @CheckForNull
    public static AgentInfo getIfKnown(VirtualChannel channel) {
        return channel instanceof Channel c ? c.getProperty(PROPERTY) : null;
    }

    /** Returns facts about an agent. Queries the agent for facts that are not cached. */
    public static AgentInfo get(VirtualChannel channel) throws IOException, InterruptedException {
        AgentInfo info = getIfKnown(channel);
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
        AgentInfoCallable.Response response =
                UninterruptedCommand.await(UninterruptedCommand.submit(() -> channel.call(new AgentInfoCallable())));
        long nanos = System.nanoTime() - start;
        return new AgentInfo(
                RoundTripEstimate.measured(known == null ? null : known.roundTrip(), nanos),
                response.sharedProcessors(new AgentInfoCallable().call()),
                CodecJar.platform(response.system(), response.arch()),
                response.controllerUrl());
    }
}
