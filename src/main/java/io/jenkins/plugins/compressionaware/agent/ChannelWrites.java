package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Channel;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.engine.run.UninterruptedWrites;
import java.io.Closeable;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.List;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Ends the writes of a transfer when its channel closes, which may be long after an abort. The channel keeps only a weak reference to the writes; the threads
 * that write keep the writes.
 */
@Restricted(NoExternalUse.class)
public final class ChannelWrites extends Channel.Listener {
    private final WeakReference<UninterruptedWrites> writes;

    private ChannelWrites(UninterruptedWrites writes) {
        this.writes = new WeakReference<>(writes);
    }

    /**
     * Begins to wait for the end of a channel, of either machine.
     *
     * @param channel nothing is done if it does not lead to another JVM
     * @return refuses new writes; waits for the end of the channel only for a write that is running
     */
    public static Closeable endWithChannel(@CheckForNull VirtualChannel channel, UninterruptedWrites writes) {
        if (!(channel instanceof Channel remote)) {
            return () -> {};
        }
        ChannelWrites listener = new ChannelWrites(writes);
        remote.addListener(listener);
        return () -> {
            if (writes.close(List.of())) {
                remote.removeListener(listener);
            }
        };
    }

    @Override
    public void onClosed(Channel channel, IOException cause) {
        UninterruptedWrites open = writes.get();
        if (open != null) {
            open.channelClosed();
        }
    }
}
