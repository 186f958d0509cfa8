package io.jenkins.plugins.compressionaware.provisioning;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Channel;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.agent.AgentInfoCallable;
import io.jenkins.plugins.compressionaware.agent.AskTransfer;
import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.agent.BootstrapUnstashCallable;
import io.jenkins.plugins.compressionaware.agent.DownloadCallable;
import io.jenkins.plugins.compressionaware.agent.LoadCodecsCallable;
import io.jenkins.plugins.compressionaware.agent.UploadCallable;
import io.jenkins.plugins.compressionaware.agent.WriteSampleCallable;
import java.io.IOException;
import java.net.URL;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Small jars that are sent ahead to an agent: the classes that it is to run, with all of this plugin's classes that these refer to. With a class that an agent
 * asks for itself, remoting brings the whole jar of this plugin, 0.7 MB.
 */
@Restricted(NoExternalUse.class)
public enum AgentJar {
    /** Begins archives and makes small stashes on an agent without the engine. */
    BOOTSTRAP(null, BootstrapArchiveCallable.class),

    /** Unpacks small stashes there. */
    SMALL_UNSTASH(null, BootstrapUnstashCallable.class),

    /** The sending end. */
    ENGINE(null, AgentInfoCallable.class, AskTransfer.class, LoadCodecsCallable.class, UploadCallable.class),

    /** The classes beyond {@link #ENGINE} that fetch a stash and unpack it. */
    FETCH(ENGINE, DownloadCallable.class),

    /** Writes the files of a trial. */
    SAMPLE(null, WriteSampleCallable.class);

    private static final Logger LOGGER = Logger.getLogger(AgentJar.class.getName());

    @CheckForNull
    private final AgentJar prerequisite;

    private final List<Class<?>> entryPoints;
    private URL made;

    /**
     * @param before jar that the agent has; null if none
     * @param run    classes that it is to run
     */
    AgentJar(@CheckForNull AgentJar before, Class<?>... run) {
        this.prerequisite = before;
        this.entryPoints = List.of(run);
    }

    /** Sends the jar, once per connection. If that fails, as on a full disk, the agent asks for each class. */
    public void preload(VirtualChannel channel) throws InterruptedException {
        if (channel instanceof Channel c && c.getProperty(this) == null) {
            try {
                UninterruptedCommand.await(
                        UninterruptedCommand.submit(() -> c.preloadJar(AgentJar.class.getClassLoader(), url())));
            } catch (IOException | RuntimeException e) {
                LOGGER.log(Level.FINE, e, () -> this + " cannot be sent ahead to " + channel);
            }
            c.setProperty(this, true);
        }
    }

    /** The jar, made once per JVM. */
    synchronized URL url() throws IOException {
        if (made == null) {
            made = InMemoryJar.of("artifact-transfer-" + name().toLowerCase(Locale.ROOT), resources());
        }
        return made;
    }

    private Set<String> resources() throws IOException {
        Set<String> resources = new TreeSet<>(InMemoryJar.closure(entryPoints));
        if (prerequisite != null) {
            resources.removeAll(prerequisite.resources());
        }
        return resources;
    }
}
