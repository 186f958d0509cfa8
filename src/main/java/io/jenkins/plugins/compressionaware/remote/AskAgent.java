package io.jenkins.plugins.compressionaware.remote;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Engine;
import java.io.Serializable;
import java.net.URL;
import jenkins.agents.ControllerToAgentCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Asks an agent about itself. The call itself is what is timed, and runs on the agent: so there is nothing in here that only the
 * controller needs, and would be loaded there.
 */
@Restricted(NoExternalUse.class)
public record AskAgent() implements ControllerToAgentCallable<AskAgent.Answer, RuntimeException> {
    /**
     * @param system        as in {@code os.name}
     * @param arch          as in {@code os.arch}
     * @param controllerUrl where an inbound agent has found the controller; null for other agents
     */
    public record Answer(
            Host host,
            String system,
            String arch,
            @CheckForNull String controllerUrl) implements Serializable {
        /** Processors of its machine that it shares with whoever asks this, 0 if it has its own. */
        public int sharedProcessors() {
            return host.shared(Host.current());
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
