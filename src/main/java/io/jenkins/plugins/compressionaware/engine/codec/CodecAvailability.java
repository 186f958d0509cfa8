package io.jenkins.plugins.compressionaware.engine.codec;

import java.io.Serializable;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Finds out whether a codec works in this JVM: native libraries may be missing for the platform or refuse to load. */
@Restricted(NoExternalUse.class)
public final class CodecAvailability {
    /** The problem of each codec, empty if it works. Kept, since a class whose initialisation failed gives the reason only once. */
    private static final Map<Codec, Optional<String>> RESULTS = new ConcurrentHashMap<>();

    private static final int MOST_CAUSES = 100;

    /** Why libraries may not be used; null if they may. */
    private static volatile String refusal;

    private CodecAvailability() {}

    /** Forbids the use of codec libraries in this JVM from now on. */
    public static void disableLibraries(String reason) {
        refusal = reason;
        for (Codec codec : Codec.values()) {
            if (codec.needsLibrary()) {
                RESULTS.put(codec, Optional.of(reason));
            }
        }
    }

    /** Whether libraries may be tried. */
    static boolean librariesEnabled() {
        return refusal == null;
    }

    /** Why the codec cannot be used in this JVM; empty if it can. */
    public static Optional<String> unavailableReason(Codec codec) {
        return RESULTS.computeIfAbsent(codec, CodecAvailability::tryOut);
    }

    /**
     * Returns the wanted codecs that work in this JVM. A codec whose library has not been loaded counts as missing and is not reported.
     *
     * @param problems receives each codec that does not work
     */
    public static EnumSet<Codec> loaded(Set<Codec> wanted, Consumer<Unavailable> problems) {
        EnumSet<Codec> loaded = EnumSet.noneOf(Codec.class);
        for (Codec codec : wanted) {
            Optional<String> problem = codec.needsLibrary() ? RESULTS.get(codec) : Optional.empty();
            if (problem != null && problem.isPresent()) {
                problems.accept(new Unavailable(codec, null, problem.get()));
            } else if (problem != null) {
                loaded.add(codec);
            }
        }
        return loaded;
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

    /** Returns the JVM's own reason, such as an illegal native access, from below the failed initialisation of a class. */
    static Throwable innermost(Throwable failure) {
        Throwable innermost = failure;
        for (int i = 0; i < MOST_CAUSES && innermost.getCause() != null; i++) {
            innermost = innermost.getCause();
        }
        return innermost;
    }

    /**
     * The codec to use in this JVM: {@code wanted}, or the next of zstd, lz4 and gzip that works. The JDK's gzip always does.
     *
     * @param usable   codecs that may replace it, beside gzip
     * @param problems receives each codec that does not work
     */
    public static Codec resolve(Codec wanted, Set<Codec> usable, Consumer<Unavailable> problems) {
        Codec codec = wanted;
        for (Optional<String> problem = unavailableReason(codec);
                problem.isPresent();
                problem = unavailableReason(codec)) {
            Codec lesser = fallbackFor(codec, usable);
            problems.accept(new Unavailable(codec, lesser, problem.get()));
            codec = lesser;
        }
        return codec;
    }

    static Codec fallbackFor(Codec codec, Set<Codec> usable) {
        return codec == Codec.ZSTD && usable.contains(Codec.LZ4) ? Codec.LZ4 : Codec.GZIP;
    }

    /**
     * A codec that does not work in some JVM.
     *
     * @param replacement the codec used in its place; null if several are left to choose from
     * @param reason      one line, in the words of that JVM
     */
    public record Unavailable(Codec codec, Codec replacement, String reason) implements Serializable {
        /** Most characters of a reason. */
        private static final int MAX_REASON_LENGTH = 1000;

        public Unavailable {
            if (reason != null && reason.length() > MAX_REASON_LENGTH) {
                reason = reason.substring(0, MAX_REASON_LENGTH);
            }
        }
    }
}
