package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.model.Computer;
import hudson.remoting.Channel;
import hudson.remoting.ChannelProperty;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import java.io.IOException;
import java.util.logging.Level;
import java.util.logging.Logger;
import jenkins.model.Jenkins;

/** What is known about an agent, kept while it is connected. Any thread may call. */
public final class AboutAgent {
    private static final Logger LOGGER = Logger.getLogger(AboutAgent.class.getName());
    private static final ChannelProperty<AgentFacts> PROPERTY =
            new ChannelProperty<>(AgentFacts.class, "artifact transfer");

    /**
     * Calls to begin with, unless an earlier one is short; the first also brings the class. Each following transfer makes one more, as
     * long as they fall.
     */
    private static final int FIRST_CALLS = 3;

    private AboutAgent() {}

    /** Of an empty call, nanoseconds. Asks the agent if it is not known yet. */
    public static long roundTripNanos(VirtualChannel channel) throws IOException, InterruptedException {
        return of(channel, AgentKind.NONE, TransferSettings.OFF).roundTrip().nanos();
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

    /**
     * Asks the agent what is not known yet, of itself or of its kind. What is only known of its kind has to be followed by {@link
     * #confirm}, and gives way to what the agent says itself at its next transfer.
     *
     * @param mode {@link TransferSettings#directLane}
     */
    static AgentFacts of(VirtualChannel channel, AgentKind kind, String mode) throws IOException, InterruptedException {
        AgentFacts facts = channel instanceof Channel c ? c.getProperty(PROPERTY) : null;
        if (facts == null) {
            AgentJar.ENGINE.bring(channel);
            facts = kind.facts();
            if (facts == null) {
                facts = askFirst(channel);
                kind.sawFacts(facts);
            } else if (!LaneAddresses.isForAll(mode, Jenkins.get().getRootUrl(), facts.controllerUrl())) {
                facts = ask(channel, null).ofKind(facts.roundTrip());
            }
        } else if (facts.ofKind()) {
            facts = askFirst(channel);
            kind.sawFacts(facts);
        } else if (facts.roundTrip().mayBeShorter()) {
            facts = ask(channel, facts);
            kind.sawFacts(facts);
        }
        keep(channel, facts);
        return facts;
    }

    /**
     * Asks the agent, beside a transfer that has begun with what is known of its kind. Returns at once. Its calls wait for what is being
     * sent, so they tell how long the round trip is at most: the shorter one counts until the next transfer. If all of them are far from
     * what was believed, so may be the next of the kind.
     */
    static void confirm(VirtualChannel channel, AgentKind kind, AgentFacts facts) {
        if (!facts.ofKind()) {
            return;
        }
        Computer.threadPoolForRemoting.execute(() -> {
            try {
                AgentFacts own = askFirst(channel);
                if (own.roundTrip().nanos() < facts.roundTrip().nanos()) {
                    kind.sawFacts(own);
                    keep(channel, own);
                } else {
                    if (own.roundTrip().isFar() && !facts.roundTrip().isFar()) {
                        kind.forgetFacts();
                    }
                    keep(channel, own.ofKind(facts.roundTrip()));
                }
            } catch (IOException | RuntimeException e) {
                LOGGER.log(Level.FINE, e, () -> channel + " does not answer");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Its own; see {@link CodecJar#platform}. Asks for it. */
    static String platform(VirtualChannel channel) throws IOException, InterruptedException {
        return ask(channel, null).platform();
    }

    private static AgentFacts askFirst(VirtualChannel channel) throws IOException, InterruptedException {
        AgentFacts facts = ask(channel, null);
        for (int i = 1; i < FIRST_CALLS && !facts.roundTrip().isShort(); i++) {
            facts = ask(channel, facts);
        }
        return facts;
    }

    private static void keep(VirtualChannel channel, AgentFacts facts) {
        if (channel instanceof Channel c) {
            c.setProperty(PROPERTY, facts);
        }
    }

    private static AgentFacts ask(VirtualChannel channel, @CheckForNull AgentFacts known)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        AskAgent.Answer answer = channel.call(new AskAgent());
        long nanos = System.nanoTime() - start;
        return new AgentFacts(
                RoundTrip.measured(known == null ? null : known.roundTrip(), nanos),
                answer.host().shared(Host.current()),
                CodecJar.platform(answer.system(), answer.arch()),
                answer.controllerUrl(),
                false);
    }
}
