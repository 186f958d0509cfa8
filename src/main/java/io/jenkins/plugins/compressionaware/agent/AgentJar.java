package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Channel;
import hudson.remoting.VirtualChannel;
import java.io.IOException;
import java.net.URL;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Small jars of the classes that an agent needs, which are sent ahead. Beside a class that it asks for by itself, remoting brings the whole jar of this
 * plugin, 0.7 MB, or of a library: 1.8 MB for commons-compress and commons-lang3.
 */
enum AgentJar {
    /** With which an agent without the engine begins archives, and makes and unpacks small stashes: five classes, some kB. */
    FIRST(List.of("first/", "staging/WorkspaceTree"), null),

    /** The sending end, and of the libraries the classes that {@code AgentJarTest} sees on an agent. */
    ENGINE(
            List.of(
                    "adapt/",
                    "codec/",
                    "send/",
                    "tar/TarPacker",
                    "tar/TarSink",
                    "transfer/",
                    "agent/AgentFacts",
                    "agent/AskAgent",
                    "agent/Host",
                    "agent/LoadCodecs",
                    "agent/RoundTrip",
                    "agent/SendFiles",
                    "agent/Selection",
                    "agent/TotalSize"),
            "engine-libraries.txt"),

    /**
     * What is needed beyond {@link #ENGINE} to fetch a stash and unpack it. It is sent ahead not only to save calls: a library class that an agent asks for
     * by itself has its own library's class loader, and those of the engine's jar are others there, although their names are the same.
     */
    FETCH(List.of("receive/", "tar/", "staging/WorkspaceTree", "agent/FetchStash"), "fetch-libraries.txt");

    private static final Logger LOGGER = Logger.getLogger(AgentJar.class.getName());

    /** Beginnings of the names of this plugin's classes. */
    private final List<String> own;

    /** Has the names of library classes, one per line. */
    @CheckForNull
    private final String libraries;

    private URL made;

    AgentJar(List<String> own, @CheckForNull String libraries) {
        this.own = own;
        this.libraries = libraries;
    }

    /** Sends it, once per connection. Where that fails, as on a full disk, the agent asks for each class. */
    void bring(VirtualChannel channel) throws InterruptedException {
        if (channel instanceof Channel c && c.getProperty(this) == null) {
            try {
                c.preloadJar(AgentJar.class.getClassLoader(), url());
            } catch (IOException | RuntimeException e) {
                LOGGER.log(Level.FINE, e, () -> this + " cannot be sent ahead to " + channel);
            }
            c.setProperty(this, true);
        }
    }

    /** It is made once per JVM. */
    synchronized URL url() throws IOException {
        if (made == null) {
            TreeSet<String> names = new TreeSet<>(LeanJar.own(own));
            if (libraries != null) {
                names.addAll(LeanJar.listed(libraries));
            }
            made = LeanJar.of("artifact-transfer-" + name().toLowerCase(Locale.ROOT), names);
        }
        return made;
    }
}
