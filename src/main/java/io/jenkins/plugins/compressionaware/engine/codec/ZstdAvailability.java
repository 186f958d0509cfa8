package io.jenkins.plugins.compressionaware.engine.codec;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.util.Arrays;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Determines whether zstd works in this JVM. Its native library may be missing for the platform or fail to load. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class ZstdAvailability {
    private static final String NONE = "";
    private static final int MAX_CAUSES = 100;

    /** Why zstd does not work; null before the first use. Cached because a class that failed to initialize reports the reason only once. */
    private static volatile String problem;

    private ZstdAvailability() {}

    /** Makes zstd unavailable in this JVM, for a reason of one line. */
    public static synchronized void disable(String reason) {
        problem = reason;
    }

    /** Returns why zstd does not work in this JVM; null if it works. The first call compresses and decompresses a block. */
    @CheckForNull
    public static synchronized String problem() {
        problem = problem == null ? tryOut() : problem;
        return knownProblem();
    }

    /** Returns why zstd does not work in this JVM; null if it works, or if it has not been loaded. */
    @CheckForNull
    public static String knownProblem() {
        String known = problem;
        return NONE.equals(known) ? null : known;
    }

    /** Returns whether zstd is known to work in this JVM; false if it has not been loaded. */
    public static boolean isLoaded() {
        return NONE.equals(problem);
    }

    private static String tryOut() {
        byte[] raw = new byte[1024];
        Arrays.fill(raw, 0, 512, (byte) 'x');
        byte[] decoded = new byte[raw.length];
        try (BlockEncoder encoder = Codec.ZSTD.newEncoder(Codec.ZSTD.defaultLevel());
                BlockDecoder decoder = Codec.ZSTD.newDecoder()) {
            byte[] body = new byte[encoder.maxEncodedLength(raw.length)];
            int length = encoder.encode(raw, raw.length, body, 0);
            decoder.decode(body, 0, length, decoded, raw.length);
            return Arrays.equals(raw, decoded) ? NONE : "round trip changed the data";
        } catch (CorruptFrameException | RuntimeException | LinkageError e) {
            return innermost(e).toString();
        }
    }

    /** Returns the innermost cause, for example an illegal native access below the failed initialization of a class. */
    public static Throwable innermost(Throwable failure) {
        Throwable innermost = failure;
        for (int i = 0; i < MAX_CAUSES && innermost.getCause() != null; i++) {
            innermost = innermost.getCause();
        }
        return innermost;
    }
}
