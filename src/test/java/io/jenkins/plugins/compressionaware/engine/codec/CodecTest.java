package io.jenkins.plugins.compressionaware.engine.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.EnglishLocale;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(EnglishLocale.class)
class CodecTest {
    @Test
    void symbolsDoNotDependOnLocale() {
        // in Turkish, the lower case of I has no dot
        Locale.setDefault(Locale.forLanguageTag("tr"));
        assertEquals("gzip", Codec.GZIP.symbol());
    }

    @Test
    void acceptsOnlyOwnLevels() {
        assertTrue(Codec.NONE.acceptsLevel(99), "ignored");
        assertFalse(Codec.LZ4.hasLevels());
        assertTrue(Codec.GZIP.acceptsLevel(1) && Codec.GZIP.acceptsLevel(9));
        assertFalse(Codec.GZIP.acceptsLevel(0) || Codec.GZIP.acceptsLevel(10) || Codec.GZIP.acceptsLevel(-1));
        assertFalse(Codec.ZSTD.acceptsLevel(0) || Codec.ZSTD.acceptsLevel(20));
        for (Codec codec : Codec.values()) {
            assertTrue(codec.acceptsLevel(codec.defaultLevel()));
        }
    }

    @Test
    void librariesAndStashesPerCodec() {
        assertEquals(List.of(false, false, true, true), codecs(Codec::needsLibrary));
        assertEquals(List.of(true, true, false, true), codecs(Codec::isForStashes));
        assertEquals(19, Codec.highestLevel());
    }

    private static List<Boolean> codecs(Function<Codec, Boolean> property) {
        return Stream.of(Codec.values()).map(property).toList();
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void codecIsAvailableOnBuildMachine(Codec codec) {
        assertEquals(Optional.empty(), CodecAvailability.unavailableReason(codec));
    }

    @Test
    void fallbacksEndAtGzip() {
        Set<Codec> all = EnumSet.allOf(Codec.class);
        assertEquals(Codec.LZ4, CodecAvailability.fallbackFor(Codec.ZSTD, all));
        assertEquals(Codec.GZIP, CodecAvailability.fallbackFor(Codec.LZ4, all));
        assertEquals(Codec.GZIP, CodecAvailability.fallbackFor(Codec.ZSTD, EnumSet.of(Codec.ZSTD, Codec.GZIP)));
    }

    /** The error of a class that failed to initialize has no reason of its own. */
    @Test
    void failedInitializationReportsInnermostCause() {
        Throwable denied = new IllegalCallerException("Illegal native access from module a");
        Error failed = new ExceptionInInitializerError(denied);
        assertSame(denied, CodecAvailability.innermost(failed));
        assertSame(denied, CodecAvailability.innermost(new LinkageError("again", failed)));
    }

    @Test
    void cyclicCausesDoNotHang() {
        RuntimeException first = new RuntimeException("a");
        RuntimeException second = new RuntimeException("b", first);
        first.initCause(second);
        assertEquals(1, CodecAvailability.innermost(first).getMessage().length());
    }
}
