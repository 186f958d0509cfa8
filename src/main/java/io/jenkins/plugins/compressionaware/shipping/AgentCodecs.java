package io.jenkins.plugins.compressionaware.shipping;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.model.Computer;
import hudson.remoting.Channel;
import hudson.remoting.ChannelProperty;
import hudson.remoting.RemoteOutputStream;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.CodecProbe;
import io.jenkins.plugins.compressionaware.remote.LoadCodecs;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Brings the codec libraries to an agent, once per connection, when the agent rings by writing a byte, for which it needs only a stream. If this
 * fails, the agent goes on with what the JDK has.
 */
@Restricted(NoExternalUse.class)
public final class AgentCodecs extends OutputStream {
    private static final Logger LOGGER = Logger.getLogger(AgentCodecs.class.getName());
    private static final ChannelProperty<CompletableFuture> BROUGHT =
            new ChannelProperty<>(CompletableFuture.class, "codecs");

    private final Channel channel;
    private final String platform;
    private final Executor executor;
    private final AtomicBoolean rung = new AtomicBoolean();

    AgentCodecs(Channel channel, String platform, Executor executor) {
        this.channel = channel;
        this.platform = platform;
        this.executor = executor;
    }

    /**
     * The agent's bell; null if the agent has its libraries, or has to fetch the original ones.
     *
     * @param platform the agent's {@link CodecJar#platform}
     */
    @CheckForNull
    public static RemoteOutputStream bell(VirtualChannel channel, String platform) {
        return channel instanceof Channel c && c.getProperty(BROUGHT) == null && CodecJar.isFor(platform)
                ? new RemoteOutputStream(new AgentCodecs(c, platform, Computer.threadPoolForRemoting))
                : null;
    }

    @Override
    public void write(int b) {
        ring();
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        ring();
    }

    /** Called by remoting's one thread for all streams of the channel, as often as the agent likes. */
    private void ring() {
        if (!rung.compareAndSet(false, true)) {
            return;
        }
        try {
            executor.execute(this::bring);
        } catch (RejectedExecutionException | OutOfMemoryError e) { // no thread is available
            LOGGER.log(Level.FINE, e, () -> channel + " has no codec libraries");
        }
    }

    private void bring() {
        try {
            bring(channel, platform);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Brings the libraries if they are not there, and waits for that.
     *
     * @return why zstd does not work on the agent; null if it does, or nobody knows
     */
    @CheckForNull
    public static CodecProbe.Unusable bring(VirtualChannel agent, String platform) throws InterruptedException {
        if (!(agent instanceof Channel channel)) {
            return null;
        }
        CompletableFuture<CodecProbe.Unusable> brought = new CompletableFuture<>();
        CompletableFuture<CodecProbe.Unusable> already;
        synchronized (BROUGHT) {
            already = channel.getProperty(BROUGHT);
            if (already == null) {
                channel.setProperty(BROUGHT, brought);
            }
        }
        if (already == null) {
            try {
                brought.complete(lacking(channel, platform));
            } finally {
                // if this was interrupted, the next one that needs them brings them
                if (brought.complete(null)) {
                    channel.setProperty(BROUGHT, null);
                }
            }
        }
        try {
            // ends with the channel at the latest
            return (already == null ? brought : already).get();
        } catch (ExecutionException e) { // never completed with an exception
            throw new IllegalStateException(e);
        }
    }

    @CheckForNull
    private static CodecProbe.Unusable lacking(Channel channel, String platform) throws InterruptedException {
        try {
            CodecJar jar = CodecJar.of(platform);
            if (jar != null) {
                WholeCommand.await(
                        WholeCommand.send(() -> channel.preloadJar(AgentCodecs.class.getClassLoader(), jar.url())));
            }
            LoadCodecs load = new LoadCodecs(jar == null ? new HashMap<>() : jar.digests());
            String reason = WholeCommand.await(WholeCommand.send(() -> ((VirtualChannel) channel).call(load)));
            return reason == null ? null : new CodecProbe.Unusable(Codec.ZSTD, Codec.GZIP, reason);
        } catch (IOException | RuntimeException | LinkageError e) {
            // such as a full disk
            LOGGER.log(Level.FINE, e, () -> channel + " has no codec libraries");
            return null;
        }
    }
}
