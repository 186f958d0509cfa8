package io.jenkins.plugins.compressionaware.remote;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Engine;
import java.io.IOException;
import java.io.Serializable;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import jenkins.agents.ControllerToAgentCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Asks an agent about itself. The call is timed and runs on the agent, so this class refers to nothing that only the controller needs and
 * the agent would have to load.
 */
@Restricted(NoExternalUse.class)
public record AskAgent() implements ControllerToAgentCallable<AskAgent.Answer, RuntimeException> {
    /** See proc_sys_kernel(5). Containers on one machine see the same. */
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /**
     * @param bootId        the kernel's identity since it was started; null where there is none, as on anything but Linux
     * @param processors    number that the JVM may use
     * @param system        as in {@code os.name}
     * @param arch          as in {@code os.arch}
     * @param controllerUrl URL at which an inbound agent has found the controller; null for other agents
     */
    public record Answer(
            @CheckForNull String bootId,
            int processors,
            String system,
            String arch,
            @CheckForNull String controllerUrl) implements Serializable {
        /** Processors that both JVMs share; 0 if they run on two machines, or have different shares of one, as containers do. */
        public int sharedProcessors(Answer other) {
            return bootId != null && bootId.equals(other.bootId) && processors == other.processors ? processors : 0;
        }
    }

    @Override
    public Answer call() {
        Engine engine = Engine.current();
        URL url = engine == null ? null : engine.getHudsonUrl();
        return new Answer(
                bootId(),
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                url == null ? null : url.toString());
    }

    @CheckForNull
    static String bootId() {
        try {
            return Files.readString(BOOT_ID).strip();
        } catch (IOException e) {
            return null;
        }
    }
}
