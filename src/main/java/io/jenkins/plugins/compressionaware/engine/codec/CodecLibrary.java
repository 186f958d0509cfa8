package io.jenkins.plugins.compressionaware.engine.codec;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.SuppressFBWarnings;
import java.util.Arrays;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** A library of codecs, which may be missing or fail to load in this JVM. Thread-safe. */
@Restricted(NoExternalUse.class)
public enum CodecLibrary {
    /** zstd-jni, for the codec zstd. It has only native code, which may be missing for the platform or fail to load. */
    ZSTD,

    /** lz4-java, for the codec lz4 and the checksum xxhash64. Where its native code does not load, its plain Java is used. */
    LZ4;

    private static final String NONE = "";
    private static final int MAX_CAUSES = 100;

    /** Why the library does not work; null before the first use. Cached because a class that failed to initialize reports the reason only once. */
    private volatile String problem;

    /** Makes the library unavailable in this JVM, for a reason of one line. */
    @SuppressFBWarnings(value = "ME_ENUM_FIELD_SETTER", justification = "a library has one state in a JVM")
    public synchronized void disable(String reason) {
        problem = reason;
    }

    /** Returns why the library does not work in this JVM; null if it works. The first call compresses and decompresses a block. */
    @CheckForNull
    public synchronized String problem() {
        problem = problem == null ? tryOut() : problem;
        return knownProblem();
    }

    /** Returns why the library does not work in this JVM; null if it works, or if it has not been loaded. */
    @CheckForNull
    public String knownProblem() {
        String known = problem;
        return NONE.equals(known) ? null : known;
    }

    /** Returns whether the library is known to work in this JVM; false if it has not been loaded. */
    public boolean isLoaded() {
        return NONE.equals(problem);
    }

    private String tryOut() {
        Codec codec = this == ZSTD ? Codec.ZSTD : Codec.LZ4;
        byte[] raw = new byte[1024];
        Arrays.fill(raw, 0, 512, (byte) 'x');
        byte[] decoded = new byte[raw.length];
        try (BlockEncoder encoder = codec.newEncoder(codec.defaultLevel());
                BlockDecoder decoder = codec.newDecoder()) {
            byte[] body = new byte[encoder.maxEncodedLength(raw.length)];
            int length = encoder.encode(raw, raw.length, body, 0);
            decoder.decode(body, 0, length, decoded, raw.length);
            if (this == LZ4) {
                Checksum.XXHASH64.of(raw, 0, raw.length);
            }
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
