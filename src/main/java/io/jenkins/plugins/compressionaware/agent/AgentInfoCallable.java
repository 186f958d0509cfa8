package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.SuppressFBWarnings;
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
 * Returns facts about the agent's machine, JVM and address. The call also measures the round trip, so this class refers to nothing that a fresh agent would
 * have to load first, and is no record, see {@link UploadCallable}.
 */
@Restricted(NoExternalUse.class)
@SuppressFBWarnings(
        value = "DMI_HARDCODED_ABSOLUTE_FILENAME",
        justification = "paths of the kernel; other systems have no such file")
public final class AgentInfoCallable
        implements ControllerToAgentCallable<AgentInfoCallable.Response, RuntimeException> {
    private static final long serialVersionUID = 1L;

    /** Boot ID of the kernel, see proc_sys_kernel(5). Containers on one machine have the same ID. */
    static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /** Processors of the kernel, regardless of a container's limit; see sysfs-devices-system-cpu. */
    static final Path ONLINE = Path.of("/sys/devices/system/cpu/online");

    /**
     * @param bootId {@link #BOOT_ID}; null if unknown, for example on Windows and macOS
     * @param processors number of processors that the JVM may use
     * @param wholeMachine whether these are all processors of the kernel; false if unknown
     * @param system value of {@code os.name}
     * @param arch value of {@code os.arch}
     * @param controllerUrl URL at which an inbound agent found the controller; null for other agents
     */
    public record Response(
            @CheckForNull String bootId,
            int processors,
            boolean wholeMachine,
            String system,
            String arch,
            @CheckForNull String controllerUrl)
            implements Serializable {
        /** Returns the processors that both JVMs share; 0 on different machines, or if a container limits a JVM to a part of its machine. */
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
