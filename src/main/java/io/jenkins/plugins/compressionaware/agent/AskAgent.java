package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Engine;
import java.io.Serializable;
import java.net.URL;
import jenkins.agents.ControllerToAgentCallable;

/**
 * Asks an agent about itself. The call itself is what is timed, and runs on the agent: so there is nothing in here that only the
 * controller needs, and would be loaded there.
 */
record AskAgent() implements ControllerToAgentCallable<AskAgent.Answer, RuntimeException> {
    record Answer(
            Host host,
            String system,
            String arch,
            @CheckForNull String controllerUrl) implements Serializable {}

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
