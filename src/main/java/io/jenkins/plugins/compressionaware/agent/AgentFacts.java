package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Channel;
import hudson.remoting.ChannelProperty;
import hudson.remoting.Engine;
import hudson.remoting.VirtualChannel;
import java.io.IOException;
import java.io.Serializable;
import java.net.URL;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import jenkins.agents.ControllerToAgentCallable;

/**
 * What is known about the way to an agent. Kept while it is connected.
 *
 * @param roundTripNanos   shortest time of an empty call, nanoseconds
 * @param settled          whether the last call took about as long as one before
 * @param sharedProcessors processors of the machine that the agent shares with this controller; 0 if it has its own
 * @param controllerUrl    where an inbound agent has found the controller; null for other agents
 */
public record AgentFacts(
        long roundTripNanos,
        boolean settled,
        int sharedProcessors,
        @CheckForNull String controllerUrl) implements Serializable {
    private static final Logger LOGGER = Logger.getLogger(AgentFacts.class.getName());
    private static final ChannelProperty<AgentFacts> PROPERTY = new ChannelProperty<>(AgentFacts.class, "artifact transfer");

    /** What remoting lets one stream send before it is acknowledged, bytes. */
    private static final double STREAM_WINDOW = 1 << 20;

    /** What a channel carries at most, bytes per second: 155 to 250 MiB/s measured on loopback. */
    private static final double CHANNEL_CEILING = 200 << 20;

    private static final int MAX_LANES = 8;

    /** From here on (nanoseconds) an agent is far away: far above what is measured nearby, up to 15 ms while an agent loads its first classes. */
    private static final long FAR = TimeUnit.MILLISECONDS.toNanos(30);

    /** Up to here (nanoseconds) it limits nothing: a stream's window would allow more than the channel carries. A warm agent's call takes 2 ms. */
    private static final long NEAR = TimeUnit.MILLISECONDS.toNanos(3);

    /** Calls to begin with; the first also brings the class. */
    private static final int FIRST_CALLS = 3;

    /**
     * A young agent's calls take ten times as long as those to come, so each transfer asks once more, until an answer takes at least this share of the
     * shortest time so far.
     */
    private static final double SETTLED = 0.9;

    /** Asks the agent what is not known yet. */
    public static AgentFacts of(VirtualChannel channel) throws IOException, InterruptedException {
        AgentFacts link = channel instanceof Channel c ? c.getProperty(PROPERTY) : null;
        if (link == null) {
            preload(channel);
            for (int i = 0; i < FIRST_CALLS; i++) {
                link = ask(channel, link);
            }
        } else if (link.mayBeShorter()) {
            link = ask(channel, link);
        } else {
            return link;
        }
        if (channel instanceof Channel c) {
            c.setProperty(PROPERTY, link);
        }
        return link;
    }

    private static AgentFacts ask(VirtualChannel channel, @CheckForNull AgentFacts known) throws IOException, InterruptedException {
        long start = System.nanoTime();
        Introduction agent = channel.call(new Introduce());
        long nanos = System.nanoTime() - start;
        return new AgentFacts(
                known == null ? nanos : Math.min(nanos, known.roundTripNanos),
                known != null && nanos >= SETTLED * known.roundTripNanos,
                agent.host().shared(Host.current()),
                agent.controllerUrl());
    }

    private boolean mayBeShorter() {
        return roundTripNanos > NEAR && !settled;
    }

    /** Whether a round trip takes 30 ms or more. */
    boolean isFar() {
        return roundTripNanos > FAR;
    }

    /** One call instead of one for each of about 70 classes. Where it fails, the agent asks for each. */
    private static void preload(VirtualChannel channel) throws InterruptedException {
        if (channel instanceof Channel c) {
            try {
                c.preloadJar(AgentFacts.class.getClassLoader(), SendFiles.class);
            } catch (IOException e) {
                // such as classes that are in no jar, in a development build
                LOGGER.log(Level.FINE, "Classes are loaded one by one", e);
            }
        }
    }

    /** How many streams it takes to fill the channel, 1 to 8: each carries its window once per round trip. */
    int lanes() {
        double needed = CHANNEL_CEILING * roundTripNanos / 1e9 / STREAM_WINDOW;
        return (int) Math.max(1, Math.min(MAX_LANES, Math.ceil(needed)));
    }

    /** What an agent says about itself. */
    private record Introduction(Host host, @CheckForNull String controllerUrl) implements Serializable {}

    private record Introduce() implements ControllerToAgentCallable<Introduction, RuntimeException> {
        @Override
        public Introduction call() {
            Engine engine = Engine.current();
            URL url = engine == null ? null : engine.getHudsonUrl();
            return new Introduction(Host.current(), url == null ? null : url.toString());
        }
    }
}
