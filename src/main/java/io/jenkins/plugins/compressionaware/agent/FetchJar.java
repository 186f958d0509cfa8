package io.jenkins.plugins.compressionaware.agent;

import hudson.remoting.Channel;
import hudson.remoting.ChannelProperty;
import hudson.remoting.VirtualChannel;
import java.io.IOException;
import java.net.URL;
import java.util.List;
import java.util.TreeSet;

/**
 * What an agent needs beyond {@link EngineJar} to fetch a stash and unpack it. It is sent ahead not only to save calls: a library class that an agent
 * asks for by itself has its own library's class loader, and those of the engine's jar are others there, although their names are the same.
 */
final class FetchJar {
    /** Rooms whose classes all go in it, and other classes. */
    private static final List<String> OWN = List.of("receive/", "tar/", "staging/WorkspaceTree", "agent/FetchStash");

    /** Names of classes, one per line: those that are loaded on an agent and are not of the engine. */
    private static final String LIBRARIES = "fetch-libraries.txt";

    private static final ChannelProperty<FetchJar> BROUGHT = new ChannelProperty<>(FetchJar.class, "fetch jar");

    private static URL made;

    private FetchJar() {}

    /** Sends it to an agent that has the engine's, once per connection. */
    static void bring(VirtualChannel channel) throws IOException, InterruptedException {
        if (channel instanceof Channel c && c.getProperty(BROUGHT) == null) {
            c.preloadJar(FetchJar.class.getClassLoader(), url());
            c.setProperty(BROUGHT, new FetchJar());
        }
    }

    private static synchronized URL url() throws IOException {
        if (made == null) {
            TreeSet<String> names = new TreeSet<>(EngineJar.own(OWN));
            names.addAll(LeanJar.listed(LIBRARIES));
            made = LeanJar.of("artifact-transfer-fetch", names);
        }
        return made;
    }
}
