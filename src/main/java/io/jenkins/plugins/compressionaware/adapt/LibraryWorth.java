package io.jenkins.plugins.compressionaware.adapt;

import io.jenkins.plugins.compressionaware.codec.Codec;
import java.util.concurrent.TimeUnit;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The time lost on blocks without the codec libraries, and the time that it takes to bring those. Bringing them once the loss equals that price costs at
 * most twice the optimum, whatever follows (the ski rental rule). On a slow link that compares bytes, on a fast one CPU time.
 */
@Restricted(NoExternalUse.class)
public final class LibraryWorth {
    /** Time to load the classes and native code of both libraries once they are there, nanoseconds: 40 to 80 ms in a young JVM. */
    private static final double LOADING = TimeUnit.MILLISECONDS.toNanos(60);

    /** Time of zstd 1 as a share of gzip's: a tenth of level 6, a fifth of level 1. */
    private static final double TIME = 0.2;

    /**
     * Share of the JDK codecs' wire bytes that zstd saves: 10 to 40 % of gzip members; of stored blocks 3 to 8 % if they are jars, nothing
     * if they are noise.
     */
    private static final double SAVING_OF_GZIP = 0.25;

    private static final double SAVING_OF_STORED = 0.05;

    private LibraryWorth() {}

    /**
     * The loss of one block.
     *
     * @param codec      codec of the JDK that it was compressed with
     * @param wireLength bytes of its frame
     * @param nanos      time that it took to make the frame
     * @param threads    threads that make frames
     * @param link       nanoseconds per byte over all lanes
     * @return nanoseconds, at least 0
     */
    public static double lost(Codec codec, int wireLength, long nanos, int threads, double link) {
        boolean gzip = codec == Codec.GZIP;
        double made = (double) nanos / threads;
        double sent = wireLength * link;
        double better = Math.max(gzip ? TIME * made : made, sent * (1 - (gzip ? SAVING_OF_GZIP : SAVING_OF_STORED)));
        return Math.max(0, Math.max(made, sent) - better);
    }

    /**
     * The price of bringing the libraries, nanoseconds.
     *
     * @param bytes bytes that have to travel
     * @param link  nanoseconds per byte over all lanes
     */
    public static double price(long bytes, double link) {
        return LOADING + bytes * link;
    }
}
