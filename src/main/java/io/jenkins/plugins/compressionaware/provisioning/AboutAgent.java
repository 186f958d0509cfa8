package io.jenkins.plugins.compressionaware.provisioning;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Channel;
import hudson.remoting.ChannelProperty;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.agent.AskAgent;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Facts about an agent, kept while it is connected. Any thread may call. */
@Restricted(NoExternalUse.class)
public final class AboutAgent {
    private static final ChannelProperty<AgentFacts> PROPERTY =
            new ChannelProperty<>(AgentFacts.class, "artifact transfer");

    /**
     * Calls to begin with, unless an earlier one is short; the first also brings the class. Each following transfer makes one more, as
     * long as their times fall.
     */
    private static final int FIRST_CALLS = 3;

    private AboutAgent() {}

    /** Whether the agent has the engine. */
    public static boolean hasTheEngine(VirtualChannel channel) {
        return known(channel) != null;
    }

    /** Facts known without asking; null before the first transfer since the agent connected. */
    @CheckForNull
    public static AgentFacts known(VirtualChannel channel) {
        return channel instanceof Channel c ? c.getProperty(PROPERTY) : null;
    }

    /** Facts about an agent since it connected. Asks the agent for missing ones. */
    public static AgentFacts of(VirtualChannel channel) throws IOException, InterruptedException {
        AgentFacts facts = known(channel);
        if (facts == null) {
            AgentJar.ENGINE.bring(channel);
            facts = ask(channel, null);
            for (int i = 1; i < FIRST_CALLS && !facts.roundTrip().isShort(); i++) {
                facts = ask(channel, facts);
            }
        } else if (facts.roundTrip().mayBeShorter()) {
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
        AskAgent.Answer answer = WholeCommand.await(WholeCommand.send(() -> channel.call(new AskAgent())));
        long nanos = System.nanoTime() - start;
        return new AgentFacts(
                RoundTrip.measured(known == null ? null : known.roundTrip(), nanos),
                answer.sharedProcessors(new AskAgent().call()),
                CodecJar.platform(answer.system(), answer.arch()),
                answer.controllerUrl());
    }
}
