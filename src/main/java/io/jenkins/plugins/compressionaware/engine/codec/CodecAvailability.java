package io.jenkins.plugins.compressionaware.engine.codec;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Determines whether a codec works in this JVM. Native libraries may be missing for the platform or fail to load. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class CodecAvailability {
    /** Failure reason of each codec, empty if it works. Cached because a class that failed to initialize reports the reason only once. */
    private static final Map<Codec, Optional<String>> RESULTS = new ConcurrentHashMap<>();

    private static final int MAX_CAUSES = 100;

    private CodecAvailability() {}

    /** Makes a codec unavailable in this JVM, for a reason of one line. */
    public static void disable(Codec codec, String reason) {
        RESULTS.put(codec, Optional.of(reason));
    }

    /** Returns why the codec is unavailable in this JVM; empty if it works. The first call compresses and decompresses a block. */
    public static Optional<String> unavailableReason(Codec codec) {
        return RESULTS.computeIfAbsent(codec, CodecAvailability::tryOut);
    }

    /**
     * Returns whether a codec is known to work in this JVM. False without a report if its library has not been loaded.
     *
     * @param problems receives the codec if it does not work
     */
    public static boolean isLoaded(Codec codec, Consumer<Unavailable> problems) {
        Optional<String> problem = RESULTS.get(codec);
        if (problem != null && problem.isPresent()) {
            problems.accept(new Unavailable(codec, null, problem.get()));
        }
        return problem != null && problem.isEmpty();
    }

    private static Optional<String> tryOut(Codec codec) {
        byte[] raw = new byte[1024];
        Arrays.fill(raw, 0, 512, (byte) 'x');
        byte[] decoded = new byte[raw.length];
        try (BlockEncoder encoder = codec.newEncoder(codec.defaultLevel());
                BlockDecoder decoder = codec.newDecoder()) {
            byte[] body = new byte[encoder.maxEncodedLength(raw.length)];
            int length = encoder.encode(raw, raw.length, body, 0);
            decoder.decode(body, 0, length, decoded, raw.length);
            return Arrays.equals(raw, decoded) ? Optional.empty() : Optional.of("round trip changed the data");
        } catch (CorruptFrameException | RuntimeException | LinkageError e) {
            return Optional.of(innermost(e).toString());
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

    /**
     * A codec that is unavailable in some JVM.
     *
     * @param replacement codec used instead; null if {@code auto} chooses among the other codecs
     * @param reason      message of the failure
     */
    public record Unavailable(Codec codec, Codec replacement, String reason) implements Serializable {
        /** Maximum length of a reason, characters. */
        private static final int MAX_REASON_LENGTH = 1000;

        public Unavailable {
            if (reason != null && reason.length() > MAX_REASON_LENGTH) {
                reason = reason.substring(0, MAX_REASON_LENGTH);
            }
        }
    }
}
