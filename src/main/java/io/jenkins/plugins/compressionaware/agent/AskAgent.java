package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Channel;
import hudson.remoting.ChannelProperty;
import hudson.remoting.Engine;
import hudson.remoting.VirtualChannel;
import java.io.IOException;
import java.io.Serializable;
import java.net.URL;
import java.util.logging.Level;
import java.util.logging.Logger;
import jenkins.agents.ControllerToAgentCallable;

/** Asks an agent about itself, and keeps the answer while it is connected. The call itself is what is timed, and runs on the agent. */
public record AskAgent() implements ControllerToAgentCallable<AskAgent.Answer, RuntimeException> {
    private static final Logger LOGGER = Logger.getLogger(AskAgent.class.getName());
    private static final ChannelProperty<AgentFacts> PROPERTY =
            new ChannelProperty<>(AgentFacts.class, "artifact transfer");

    /** Calls to begin with, unless an earlier one is short; the first also brings the class. Each following transfer makes one more, as long as they fall. */
    private static final int FIRST_CALLS = 3;

    record Answer(
            Host host,
            String system,
            String arch,
            @CheckForNull String controllerUrl) implements Serializable {}

    /** Of an empty call, nanoseconds. Asks the agent if it is not known yet. */
    public static long roundTripNanos(VirtualChannel channel) throws IOException, InterruptedException {
        return about(channel).roundTrip().nanos();
    }

    /** Whether the agent has the engine. */
    static boolean hasTheEngine(VirtualChannel channel) {
        return channel instanceof Channel c && c.getProperty(PROPERTY) != null;
    }

    /** What is known without asking; null before the first transfer since it has connected. */
    @CheckForNull
    static AgentFacts known(Channel channel) {
        return channel.getProperty(PROPERTY);
    }

    /** Asks the agent what is not known yet. */
    static AgentFacts about(VirtualChannel channel) throws IOException, InterruptedException {
        AgentFacts facts = channel instanceof Channel c ? c.getProperty(PROPERTY) : null;
        if (facts != null && !facts.roundTrip().mayBeShorter()) {
            return facts;
        }
        if (facts == null) {
            preload(channel);
        }
        int calls = facts == null ? FIRST_CALLS : 1;
        for (int i = 0; i < calls && (facts == null || !facts.roundTrip().isShort()); i++) {
            facts = ask(channel, facts);
        }
        if (channel instanceof Channel c) {
            c.setProperty(PROPERTY, facts);
        }
        return facts;
    }

    private static AgentFacts ask(VirtualChannel channel, @CheckForNull AgentFacts known)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        Answer answer = channel.call(new AskAgent());
        long nanos = System.nanoTime() - start;
        return new AgentFacts(
                RoundTrip.measured(known == null ? null : known.roundTrip(), nanos),
                answer.host().shared(Host.current()),
                CodecJar.platform(answer.system(), answer.arch()),
                answer.controllerUrl());
    }

    /** One call instead of one for each of about 150 classes. Where it fails, the agent asks for each. */
    private static void preload(VirtualChannel channel) throws InterruptedException {
        if (channel instanceof Channel c) {
            try {
                c.preloadJar(AskAgent.class.getClassLoader(), EngineJar.url());
            } catch (IOException e) {
                // such as a full disk
                LOGGER.log(Level.FINE, "Classes are loaded one by one", e);
            }
        }
    }

    @Override
    public Answer call() {
        Engine engine = Engine.current();
        URL url = engine == null ? null : engine.getHudsonUrl();
        return new Answer(
                Host.current(),
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                url == null ? null : url.toString());
    }
}
