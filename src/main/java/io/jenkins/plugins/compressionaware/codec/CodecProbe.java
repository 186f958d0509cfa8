package io.jenkins.plugins.compressionaware.codec;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Finds out whether a codec works in this JVM: native libraries may be missing for the platform or refuse to load. */
public final class CodecProbe {
    /** Empty when the codec works. Kept, since a class whose initialisation failed tells the reason only once. */
    private static final Map<Codec, Optional<String>> RESULTS = new ConcurrentHashMap<>();

    private CodecProbe() {}

    /** Why the codec cannot be used in this JVM; empty if it can. */
    public static Optional<String> problem(Codec codec) {
        return RESULTS.computeIfAbsent(codec, CodecProbe::tryOut);
    }

    /** Whether {@link #problem} answers at once, or needs no library. */
    public static boolean isKnown(Codec codec) {
        return codec == Codec.NONE || codec == Codec.GZIP || RESULTS.containsKey(codec);
    }

    private static Optional<String> tryOut(Codec codec) {
        byte[] raw = new byte[1024];
        Arrays.fill(raw, 0, 512, (byte) 'x');
        byte[] decoded = new byte[raw.length];
        try (BlockEncoder encoder = codec.newEncoder(codec.defaultLevel());
                BlockDecoder decoder = codec.newDecoder()) {
            byte[] body = new byte[encoder.bound(raw.length)];
            int length = encoder.encode(raw, raw.length, body, 0);
            decoder.decode(body, 0, length, decoded, raw.length);
            return Arrays.equals(raw, decoded) ? Optional.empty() : Optional.of("round trip changed the data");
        } catch (CorruptFrameException | RuntimeException | LinkageError e) {
            return Optional.of(e.toString());
        }
    }

    /**
     * The codec to use in place of one that does not work here: zstd gives way to lz4, and lz4 to the JDK's gzip, which always works.
     */
    public static Codec lesser(Codec codec) {
        return codec == Codec.ZSTD ? Codec.LZ4 : Codec.GZIP;
    }
}
