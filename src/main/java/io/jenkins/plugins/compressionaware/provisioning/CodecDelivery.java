package io.jenkins.plugins.compressionaware.provisioning;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Channel;
import hudson.remoting.ChannelProperty;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.agent.LoadCodecsCallable;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Sends each codec library to an agent once per connection, when a transfer needs it. If this fails, or while the link is too slow for it, the agent uses the
 * JDK's codecs. Thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class CodecDelivery {
    private static final Logger LOGGER = Logger.getLogger(CodecDelivery.class.getName());
    private static final ChannelProperty<CompletableFuture> ZSTD =
            new ChannelProperty<>(CompletableFuture.class, "zstd");

    private static final ChannelProperty<CompletableFuture> LZ4 = new ChannelProperty<>(CompletableFuture.class, "lz4");

    /** Wire bytes that the agent sent without zstd, because its link was too slow for the library. */
    private static final ChannelProperty<Long> GZIP_BYTES = new ChannelProperty<>(Long.class, "bytes in gzip");

    /** Nanoseconds per byte from which a link is slow (16 Mbit/s), so that the 0.5 MB of zstd take 0.25 s. */
    private static final double SLOW_NANOS_PER_BYTE = 500;

    /** Wire bytes in gzip from which zstd pays off, because it would have saved as much as its library's size. */
    private static final long BREAK_EVEN_BYTES = 2 << 20;

    /** Seconds to wait for a delivery that another transfer has started, and whose thread may be lost. */
    private static final int MAX_WAIT_SECONDS = 120;

    private static final int MAX_PROBLEM_LENGTH = 1000;

    private CodecDelivery() {}

    /**
     * Returns whether a transfer should not use zstd, because the link is slow and the agent has not sent enough for zstd to save the time of sending its
     * library.
     *
     * @param nanosPerByte time of a byte on the link; NaN if unknown
     * @param bytes wire bytes that this transfer has sent in gzip
     */
    public static boolean areTooExpensive(VirtualChannel agent, double nanosPerByte, long bytes) {
        if (nanosPerByte > SLOW_NANOS_PER_BYTE && agent instanceof Channel c && c.getProperty(GZIP_BYTES) == null) {
            c.setProperty(GZIP_BYTES, 0L);
        }
        return addSentBytes(agent, bytes) < BREAK_EVEN_BYTES;
    }

    /** Adds wire bytes sent without zstd. Returns the sum, or {@link Long#MAX_VALUE} if zstd is not too expensive. */
    public static long addSentBytes(VirtualChannel agent, long bytes) {
        if (!(agent instanceof Channel channel) || channel.getProperty(ZSTD) != null) {
            return Long.MAX_VALUE;
        }
        Long before = channel.getProperty(GZIP_BYTES);
        if (before == null) {
            return Long.MAX_VALUE;
        }
        channel.setProperty(GZIP_BYTES, before + bytes);
        return before + bytes;
    }

    /**
     * Sends a library and loads it on the agent, unless another thread has, and waits until the agent has it.
     *
     * @return why the library does not work on the agent; null if it works or this is unknown
     */
    @CheckForNull
    public static String deliver(VirtualChannel agent, String platform, CodecLibrary library)
            throws InterruptedException {
        if (!(agent instanceof Channel channel)) {
            return null;
        }
        ChannelProperty<CompletableFuture> property = library == CodecLibrary.ZSTD ? ZSTD : LZ4;
        CompletableFuture<String> started = new CompletableFuture<>();
        CompletableFuture<String> delivery;
        synchronized (property) {
            delivery = channel.getProperty(property);
            if (delivery == null) {
                channel.setProperty(property, started);
            }
        }
        try {
            if (delivery != null) {
                // later transfers of this connection do not wait again
                return delivery.completeOnTimeout(null, MAX_WAIT_SECONDS, TimeUnit.SECONDS)
                        .get();
            }
            // at most one thread per connection, however often a transfer is aborted while the agent does not respond
            CompletableFuture<String> sent =
                    UninterruptedCommand.submit(channel, () -> deliverAndProbe(channel, platform, library, property));
            sent.whenComplete((reason, failure) -> {
                if (failure != null) { // the next transfer tries again
                    channel.setProperty(property, null);
                }
                started.complete(reason);
            });
            return UninterruptedCommand.await(sent);
        } catch (IOException e) {
            LOGGER.log(Level.FINE, e, () -> "Cannot deliver " + library + " to " + channel);
            return null;
        } catch (ExecutionException e) { // never completed with an exception
            throw new IllegalStateException(e);
        }
    }

    @CheckForNull
    private static String deliverAndProbe(
            Channel channel, String platform, CodecLibrary library, ChannelProperty<CompletableFuture> property)
            throws InterruptedException {
        String problem;
        try {
            CodecJar jar = CodecJar.of(library, platform);
            if (jar != null) {
                channel.preloadJar(CodecDelivery.class.getClassLoader(), jar.url());
            }
            LoadCodecsCallable load = jar == null
                    ? new LoadCodecsCallable(library, null, 0)
                    : new LoadCodecsCallable(library, jar.nativeCode(), jar.checksum());
            problem = ((VirtualChannel) channel).call(load);
        } catch (IOException | RuntimeException | LinkageError e) {
            // for example, the agent's disk is full, or it has no temporary folder
            LOGGER.log(Level.FINE, e, () -> "Cannot deliver " + library + " to " + channel);
            channel.setProperty(property, null); // the next transfer tries again
            problem = channel.isClosingOrClosed()
                    ? null
                    : CodecLibrary.innermost(e).toString();
        }
        return problem == null ? null : problem.substring(0, Math.min(problem.length(), MAX_PROBLEM_LENGTH));
    }
}
