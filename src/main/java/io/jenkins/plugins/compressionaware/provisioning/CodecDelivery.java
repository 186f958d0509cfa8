package io.jenkins.plugins.compressionaware.provisioning;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Channel;
import hudson.remoting.ChannelProperty;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.agent.LoadCodecsCallable;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecAvailability;
import java.io.IOException;
import java.util.HashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Sends the codec libraries to an agent, once per connection. If this fails, or while a slow link makes it too expensive, the agent uses what the JDK
 * has. Any thread may call.
 */
@Restricted(NoExternalUse.class)
public final class CodecDelivery {
    private static final Logger LOGGER = Logger.getLogger(CodecDelivery.class.getName());
    private static final ChannelProperty<CompletableFuture> BROUGHT =
            new ChannelProperty<>(CompletableFuture.class, "codecs");

    /** Wire bytes that the agent has sent while the libraries were too much for its link. */
    private static final ChannelProperty<Long> IN_GZIP = new ChannelProperty<>(Long.class, "bytes in gzip");

    /** Nanoseconds per byte, 16 Mbit/s: the libraries' 0.6 MB take 0.3 s. */
    private static final double SLOW = 500;

    /** Wire bytes in gzip, of which zstd saves a quarter: about as much as the libraries have. */
    private static final long WON_BACK = 2 << 20;

    private CodecDelivery() {}

    /**
     * Returns whether a transfer should do without the libraries, because the link is slow and the agent has sent too little for zstd to win back their
     * time.
     *
     * @param nanosPerByte of the link; NaN if unknown
     * @param bytes        that this transfer has sent in gzip
     */
    public static boolean areTooExpensive(VirtualChannel agent, double nanosPerByte, long bytes) {
        if (nanosPerByte > SLOW && agent instanceof Channel c && c.getProperty(IN_GZIP) == null) {
            c.setProperty(IN_GZIP, 0L);
        }
        return addSentBytes(agent, bytes) < WON_BACK;
    }

    /** Adds wire bytes to those that the agent has sent without the libraries. Returns the sum, or the largest number unless they were too much. */
    public static long addSentBytes(VirtualChannel agent, long bytes) {
        if (!(agent instanceof Channel channel) || channel.getProperty(BROUGHT) != null) {
            return Long.MAX_VALUE;
        }
        Long before = channel.getProperty(IN_GZIP);
        if (before == null) {
            return Long.MAX_VALUE;
        }
        channel.setProperty(IN_GZIP, before + bytes);
        return before + bytes;
    }

    /**
     * Sends and loads the libraries if the agent does not have them, and waits until it has.
     *
     * @return why zstd does not work on the agent; null if it does, or nobody knows
     */
    @CheckForNull
    public static CodecAvailability.Unavailable deliver(VirtualChannel agent, String platform)
            throws InterruptedException {
        if (!(agent instanceof Channel channel)) {
            return null;
        }
        CompletableFuture<CodecAvailability.Unavailable> brought = new CompletableFuture<>();
        CompletableFuture<CodecAvailability.Unavailable> already;
        synchronized (BROUGHT) {
            already = channel.getProperty(BROUGHT);
            if (already == null) {
                channel.setProperty(BROUGHT, brought);
            }
        }
        if (already == null) {
            try {
                brought.complete(deliverAndProbe(channel, platform));
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
    private static CodecAvailability.Unavailable deliverAndProbe(Channel channel, String platform)
            throws InterruptedException {
        try {
            CodecJar jar = CodecJar.of(platform);
            if (jar != null) {
                UninterruptedCommand.await(UninterruptedCommand.submit(
                        () -> channel.preloadJar(CodecDelivery.class.getClassLoader(), jar.url())));
            }
            LoadCodecsCallable load = new LoadCodecsCallable(jar == null ? new HashMap<>() : jar.digests());
            String reason = UninterruptedCommand.await(
                    UninterruptedCommand.submit(() -> ((VirtualChannel) channel).call(load)));
            return reason == null ? null : new CodecAvailability.Unavailable(Codec.ZSTD, Codec.GZIP, reason);
        } catch (IOException | RuntimeException | LinkageError e) {
            // such as a full disk
            LOGGER.log(Level.FINE, e, () -> channel + " has no codec libraries");
            return null;
        }
    }
}
