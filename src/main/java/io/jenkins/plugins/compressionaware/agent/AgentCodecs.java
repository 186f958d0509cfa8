package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.model.Computer;
import hudson.remoting.Channel;
import hudson.remoting.ChannelProperty;
import hudson.remoting.RemoteOutputStream;
import hudson.remoting.VirtualChannel;
import java.io.IOException;
import java.io.OutputStream;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Brings the codec libraries to an agent, once per connection, when the agent rings: it writes a byte. So nothing but a stream is needed there. Where
 * it fails, the agent goes on with what the JDK has; so does one of a kind to which they are of no use, unless they are needed.
 */
final class AgentCodecs extends OutputStream {
    private static final Logger LOGGER = Logger.getLogger(AgentCodecs.class.getName());
    private static final ChannelProperty<Boolean> BROUGHT = new ChannelProperty<>(Boolean.class, "codecs");

    private final Channel channel;
    private final AgentKind kind;
    private final AgentFacts facts;

    private AgentCodecs(Channel channel, AgentKind kind, AgentFacts facts) {
        this.channel = channel;
        this.kind = kind;
        this.facts = facts;
    }

    /** What to give the agent, so that it can ring; null if it has its libraries, or has to fetch them as they are. */
    @CheckForNull
    static RemoteOutputStream bell(VirtualChannel channel, AgentKind kind, AgentFacts facts) {
        return channel instanceof Channel c && c.getProperty(BROUGHT) == null && CodecJar.isFor(facts.platform())
                ? new RemoteOutputStream(new AgentCodecs(c, kind, facts))
                : null;
    }

    /** Brings them if they are not there, and waits for that. */
    static void bring(VirtualChannel channel, AgentKind kind, AgentFacts facts) throws InterruptedException {
        if (channel instanceof Channel c) {
            bringOnce(c, kind, facts);
        }
    }

    @Override
    public void write(int b) {
        if (kind.lacksCodecs()) {
            return;
        }
        Computer.threadPoolForRemoting.execute(() -> {
            try {
                bringOnce(channel, kind, facts);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private static void bringOnce(Channel channel, AgentKind kind, AgentFacts facts) throws InterruptedException {
        synchronized (BROUGHT) {
            if (channel.getProperty(BROUGHT) != null) {
                return;
            }
            channel.setProperty(BROUGHT, true);
        }
        try {
            // a kind may have agents on several platforms
            CodecJar jar = CodecJar.of(facts.ofKind() ? AboutAgent.platform(channel) : facts.platform());
            if (jar != null) {
                channel.preloadJar(AgentCodecs.class.getClassLoader(), jar.url());
                kind.sawCodecs(((VirtualChannel) channel).call(new LoadCodecs(jar.digests())));
            }
        } catch (IOException | RuntimeException e) {
            // such as a full disk
            LOGGER.log(Level.FINE, e, () -> channel + " has no codec libraries");
        }
    }
}
