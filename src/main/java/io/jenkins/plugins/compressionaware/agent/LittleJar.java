package io.jenkins.plugins.compressionaware.agent;

import hudson.remoting.Channel;
import hudson.remoting.ChannelProperty;
import hudson.remoting.VirtualChannel;
import java.io.IOException;
import java.net.URL;
import java.util.List;

/**
 * The classes with which an agent without the engine begins archives, and makes and unpacks small stashes: four, some kB. With any class that an agent asks for,
 * remoting brings the whole jar of this plugin, 0.7 MB: beside the first, before the second.
 */
final class LittleJar {
    private static final List<String> OWN =
            List.of("agent/HeadStart", "agent/StashLittle", "agent/UnstashLittle", "staging/WorkspaceTree");

    private static final ChannelProperty<LittleJar> BROUGHT = new ChannelProperty<>(LittleJar.class, "little jar");

    private static URL made;

    private LittleJar() {}

    /** Sends it, once per connection. */
    static void bring(VirtualChannel channel) throws IOException, InterruptedException {
        if (channel instanceof Channel c && c.getProperty(BROUGHT) == null) {
            c.preloadJar(LittleJar.class.getClassLoader(), url());
            c.setProperty(BROUGHT, new LittleJar());
        }
    }

    private static synchronized URL url() throws IOException {
        if (made == null) {
            made = LeanJar.of("artifact-transfer-little", EngineJar.own(OWN));
        }
        return made;
    }
}
