package io.jenkins.plugins.compressionaware.provisioning;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import hudson.remoting.Channel;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.agent.AgentInfoCallable;
import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.agent.BootstrapUnstashCallable;
import io.jenkins.plugins.compressionaware.agent.CancelTransferCallable;
import io.jenkins.plugins.compressionaware.agent.DownloadCallable;
import io.jenkins.plugins.compressionaware.agent.LoadCodecsCallable;
import io.jenkins.plugins.compressionaware.agent.StoreDownloadCallable;
import io.jenkins.plugins.compressionaware.agent.StoreUploadCallable;
import io.jenkins.plugins.compressionaware.agent.TransferStateCallable;
import io.jenkins.plugins.compressionaware.agent.UploadCallable;
import io.jenkins.plugins.compressionaware.agent.WorkspaceIdentityCallable;
import io.jenkins.plugins.compressionaware.agent.WriteSampleCallable;
import java.io.IOException;
import java.net.URL;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Small jars that are sent to an agent before it needs their classes, each with some callables and all classes of this plugin that they refer to. Without
 * them, remoting would send the whole jar of this plugin, 0.7 MB, for the first class that the agent requests.
 */
@Restricted(NoExternalUse.class)
public enum AgentJar {
    /** Starts archives and makes small stashes on an agent without the engine. */
    BOOTSTRAP(BootstrapArchiveCallable.class),

    /** Unpacks small stashes on an agent without the engine. */
    SMALL_UNSTASH(BootstrapUnstashCallable.class),

    /** Sends files with the engine. */
    ENGINE(
            AgentInfoCallable.class,
            TransferStateCallable.class,
            CancelTransferCallable.class,
            LoadCodecsCallable.class,
            WorkspaceIdentityCallable.class,
            UploadCallable.class),

    /** Downloads and unpacks stashes; only the classes that are not in {@link #ENGINE}. */
    FETCH(DownloadCallable.class),

    /** Identifies a workspace on an agent without the engine. */
    IDENTITY(WorkspaceIdentityCallable.class),

    /** Sends files to a store and downloads them from it; only the classes that are not in {@link #ENGINE}. */
    STORE(StoreUploadCallable.class, StoreDownloadCallable.class),

    /** Writes the files of the artifact transfer test. */
    SAMPLE(WriteSampleCallable.class);

    private static final Logger LOGGER = Logger.getLogger(AgentJar.class.getName());

    private final List<Class<?>> entryPoints;

    @GuardedBy("this")
    private URL cachedUrl;

    /** @param entryPoints callables that the agent runs */
    AgentJar(Class<?>... entryPoints) {
        this.entryPoints = List.of(entryPoints);
    }

    /**
     * Sends the jar once per connection, and in the same call {@link #ENGINE} if the jar needs it. If that fails, for example because of a full disk, the agent
     * requests each class.
     */
    public void preload(VirtualChannel channel) throws InterruptedException {
        if (channel instanceof Channel c && c.getProperty(this) == null) {
            List<AgentJar> lacking = Stream.of(ENGINE, this)
                    .filter(jar -> jar == this || addsToEngine())
                    .distinct()
                    .filter(jar -> c.getProperty(jar) == null)
                    .toList();
            try {
                UninterruptedCommand.await(UninterruptedCommand.submit(
                        c, () -> c.preloadJar(AgentJar.class.getClassLoader(), urls(lacking))));
            } catch (IOException | RuntimeException e) {
                LOGGER.log(Level.FINE, e, () -> "Cannot send jars " + lacking + " to " + channel);
            }
            lacking.forEach(jar -> c.setProperty(jar, true));
        }
    }

    private boolean addsToEngine() {
        return this == FETCH || this == STORE;
    }

    private static URL[] urls(List<AgentJar> jars) throws IOException {
        URL[] urls = new URL[jars.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = jars.get(i).url();
        }
        return urls;
    }

    /** Returns the jar, which is made once per JVM. */
    synchronized URL url() throws IOException {
        if (cachedUrl == null) {
            cachedUrl = InMemoryJar.of("artifact-transfer-" + name().toLowerCase(Locale.ROOT), resources());
        }
        return cachedUrl;
    }

    private Set<String> resources() throws IOException {
        Set<String> resources = new TreeSet<>(InMemoryJar.closure(entryPoints));
        if (addsToEngine()) {
            resources.removeAll(ENGINE.resources());
        }
        return resources;
    }
}
