package io.jenkins.plugins.compressionaware;

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
 * What is known about the way to an agent. Asked once per connection.
 *
 * @param roundTripNanos   time of an empty call, nanoseconds
 * @param sharedProcessors processors of the machine that the agent shares with this controller; 0 if it has its own
 * @param controllerUrl    where an inbound agent has found the controller; null for other agents
 */
record Link(
        long roundTripNanos,
        int sharedProcessors,
        @CheckForNull String controllerUrl) implements Serializable {
    private static final Logger LOGGER = Logger.getLogger(Link.class.getName());
    private static final ChannelProperty<Link> PROPERTY = new ChannelProperty<>(Link.class, "artifact transfer");

    /** What remoting lets one stream send before it is acknowledged, bytes. */
    private static final double STREAM_WINDOW = 1 << 20;

    /** What a channel carries at most, bytes per second: 155 to 250 MiB/s measured on loopback. */
    private static final double CHANNEL_CEILING = 200 << 20;

    private static final int MAX_LANES = 8;

    /** Calls at least; the first also brings the class. */
    private static final int CALLS = 3;

    /** A young agent's first calls take ten times as long as those to come, so they are repeated for this time, nanoseconds. */
    private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(60);

    static Link of(VirtualChannel channel) throws IOException, InterruptedException {
        Link known = channel instanceof Channel c ? c.getProperty(PROPERTY) : null;
        if (known != null) {
            return known;
        }
        preload(channel);
        long shortest = Long.MAX_VALUE;
        Introduction agent = null;
        long begin = System.nanoTime();
        for (int i = 0; i < CALLS || lanes(shortest) > 1 && System.nanoTime() - begin < PATIENCE; i++) {
            long start = System.nanoTime();
            agent = channel.call(new Introduce());
            shortest = Math.min(shortest, System.nanoTime() - start);
        }
        Link measured = new Link(shortest, agent.host().shared(Host.current()), agent.controllerUrl());
        if (channel instanceof Channel c) {
            c.setProperty(PROPERTY, measured);
        }
        return measured;
    }

    /** One call instead of one for each of about 70 classes. Where it fails, the agent asks for each. */
    private static void preload(VirtualChannel channel) throws InterruptedException {
        if (channel instanceof Channel c) {
            try {
                c.preloadJar(Link.class.getClassLoader(), SendFiles.class);
            } catch (IOException e) {
                // such as classes that are in no jar, in a development build
                LOGGER.log(Level.FINE, "Classes are loaded one by one", e);
            }
        }
    }

    /** How many streams it takes to fill the channel, 1 to 8: each carries its window once per round trip. */
    int lanes() {
        return lanes(roundTripNanos);
    }

    private static int lanes(long roundTripNanos) {
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
