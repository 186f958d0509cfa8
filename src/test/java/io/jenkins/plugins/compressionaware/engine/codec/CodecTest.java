package io.jenkins.plugins.compressionaware.engine.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.EnglishLocale;
import io.jenkins.plugins.compressionaware.testing.Frame;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import net.jpountz.util.Native;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

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
        assertFalse(Codec.NONE.acceptsLevel(-1) || Codec.NONE.acceptsLevel(1));
        assertFalse(Codec.NONE.hasLevels());
        assertTrue(Codec.GZIP.acceptsLevel(1) && Codec.GZIP.acceptsLevel(9));
        assertFalse(Codec.GZIP.acceptsLevel(0) || Codec.GZIP.acceptsLevel(10) || Codec.GZIP.acceptsLevel(-1));
        assertFalse(Codec.ZSTD.acceptsLevel(0) || Codec.ZSTD.acceptsLevel(20));
        for (Codec codec : Codec.values()) {
            assertTrue(codec.acceptsLevel(codec.defaultLevel()));
        }
    }

    @Test
    void onlyLz4AndZstdNeedLibraries() {
        assertEquals(
                List.of(Codec.LZ4, Codec.ZSTD),
                Stream.of(Codec.values()).filter(Codec::needsLibrary).toList());
    }

    @Test
    void librariesAreAvailableOnBuildMachine() {
        for (CodecLibrary library : CodecLibrary.values()) {
            assertNull(library.problem());
            assertNull(library.knownProblem());
            assertTrue(library.isLoaded());
        }
    }

    /** The controller only decodes, so it needs no native code, of which newer JDKs warn. */
    @Test
    void lz4DecoderLoadsNoNativeCode() throws Exception {
        String frame = HexFormat.of().formatHex(Frame.block(Codec.LZ4, 0, new byte[100]));
        assertEquals(List.of("false"), Jvm.run(List.of(), DecodeOnly.class, frame));
    }

    /** Runs in the separate JVM. */
    static final class DecodeOnly {
        private DecodeOnly() {}

        public static void main(String[] args) throws Exception {
            byte[] frame = HexFormat.of().parseHex(args[0]);
            FrameHeader header = Codec.LZ4.envelope().read(frame);
            FrameCodec.decode(header, Codec.LZ4.newDecoder(), frame, new byte[100]);
            System.out.println(Native.isLoaded());
        }
    }

    /** The error of a class that failed to initialize has no reason of its own. */
    @Test
    void failedInitializationReportsInnermostCause() {
        Throwable denied = new IllegalCallerException("Illegal native access from module a");
        Error failed = new ExceptionInInitializerError(denied);
        assertSame(denied, CodecLibrary.innermost(failed));
        assertSame(denied, CodecLibrary.innermost(new LinkageError("again", failed)));
    }

    @Test
    void cyclicCausesDoNotHang() {
        RuntimeException first = new RuntimeException("a");
        RuntimeException second = new RuntimeException("b", first);
        first.initCause(second);
        assertEquals(1, CodecLibrary.innermost(first).getMessage().length());
    }
}
