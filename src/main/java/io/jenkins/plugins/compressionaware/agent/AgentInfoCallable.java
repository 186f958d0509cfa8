package io.jenkins.plugins.compressionaware.agent;

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
public record AgentInfoCallable() implements ControllerToAgentCallable<AgentInfoCallable.Response, RuntimeException> {
    /** See proc_sys_kernel(5). Containers on one machine see the same. */
    static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /** File that lists the processors of the kernel, regardless of a container's limit; see sysfs-devices-system-cpu. */
    static final Path ONLINE = Path.of("/sys/devices/system/cpu/online");

    /**
     * @param bootId        the kernel's identity since it was started; null where there is none, as on anything but Linux
     * @param processors    number that the JVM may use
     * @param wholeMachine  whether these are all processors of the kernel; false if unknown
     * @param system        as in {@code os.name}
     * @param arch          as in {@code os.arch}
     * @param controllerUrl URL at which an inbound agent has found the controller; null for other agents
     */
    public record Response(
            @CheckForNull String bootId,
            int processors,
            boolean wholeMachine,
            String system,
            String arch,
            @CheckForNull String controllerUrl)
            implements Serializable {
        /**
         * Returns the processors that both JVMs share; 0 if they run on two machines, or if a JVM may use only a part of its machine, as in a
         * container with a limit.
         */
        public int sharedProcessors(Response other) {
            boolean same = bootId != null && bootId.equals(other.bootId);
            return same && wholeMachine && other.wholeMachine ? processors : 0;
        }
    }

    @Override
    public Response call() {
        Engine engine = Engine.current();
        URL url = engine == null ? null : engine.getHudsonUrl();
        int processors = Runtime.getRuntime().availableProcessors();
        return new Response(
                line(BOOT_ID),
                processors,
                (processors == 1 ? "0" : "0-" + (processors - 1)).equals(line(ONLINE)),
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                url == null ? null : url.toString());
    }

    @CheckForNull
    static String line(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return null;
        }
    }
}
