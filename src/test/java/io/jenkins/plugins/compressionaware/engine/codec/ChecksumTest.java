package io.jenkins.plugins.compressionaware.engine.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import net.jpountz.xxhash.XXHashFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChecksumTest {
    /** Check values of the CRC catalogue and of the xxHash command. */
    @ParameterizedTest
    @CsvSource({
        "XXH64, '', ef46db3751d8e999",
        "XXH64, 123456789, 8cb841db40e6ae83",
        "CRC32C, '', 0",
        "CRC32C, 123456789, e3069283",
        "NONE, 123456789, 0"
    })
    void matchesPublishedCheckValues(Checksum checksum, String content, String value) {
        byte[] bytes = ("<" + content + ">").getBytes(StandardCharsets.US_ASCII);
        assertEquals(value, Long.toHexString(checksum.compute(bytes, 1, bytes.length - 2)));
    }

    @Test
    void xxh64FallsBackToCrc32cWithoutItsLibrary() throws Exception {
        assertEquals(
                "xxh64 falls back to CRC32C, crc32c to CRC32C, none to NONE",
                runWith(Fallbacks.class, FrameHeader.class, ChecksumTest.class));
    }

    /** The second class loader is not the system's, as in Jenkins, so by default the library does not use native code there. */
    @Test
    void xxh64IsEqualWithAndWithoutNativeCode() throws Exception {
        String here = new Xxh64Values().get();
        String inPlainJava =
                (String) runWith(Xxh64Values.class, FrameHeader.class, ChecksumTest.class, XXHashFactory.class);
        assertEquals(here.replace("JNI", "JavaUnsafe"), inPlainJava);
    }

    /** Runs a class in a class loader that has only the JDK and the class path entries of {@code neighbours}. */
    private static Object runWith(Class<? extends Supplier<?>> task, Class<?>... neighbours) throws Exception {
        URL[] places = new URL[neighbours.length];
        for (int i = 0; i < places.length; i++) {
            places[i] = neighbours[i].getProtectionDomain().getCodeSource().getLocation();
        }
        try (URLClassLoader loader = new URLClassLoader(places, ClassLoader.getPlatformClassLoader())) {
            Class<?> there = Class.forName(task.getName(), true, loader);
            return ((Supplier<?>) there.getDeclaredConstructor().newInstance()).get();
        }
    }

    /** Runs in the second class loader. */
    public static final class Fallbacks implements Supplier<String> {
        @Override
        public String get() {
            return "xxh64 falls back to " + Checksum.XXH64.orFallback() + ", crc32c to "
                    + Checksum.CRC32C.orFallback() + ", none to "
                    + Checksum.NONE.orFallback();
        }
    }

    /** Runs in both class loaders. */
    public static final class Xxh64Values implements Supplier<String> {
        @Override
        public String get() {
            byte[] bytes = FileTrees.noise(5_000);
            StringBuilder values =
                    new StringBuilder(XXHashFactory.fastestInstance().toString());
            for (int length = 0; length < bytes.length - 7; length = length * 3 / 2 + 1) {
                values.append(' ').append(Long.toHexString(Checksum.XXH64.compute(bytes, 7, length)));
            }
            return values.toString();
        }
    }
}
