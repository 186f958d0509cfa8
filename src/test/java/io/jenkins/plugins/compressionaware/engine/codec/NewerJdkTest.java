package io.jenkins.plugins.compressionaware.engine.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.testing.Frame;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jpountz.util.Native;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Codecs on a JDK that warns of {@code Unsafe} (24, JEP 498) and of native code that is not enabled (24, JEP 472). */
class NewerJdkTest {
    private static final int WARNS = 24;

    @ParameterizedTest
    @CsvSource({
        "--enable-native-access=ALL-UNNAMED, ZSTD works, native",
        "--illegal-native-access=deny, ZSTD does not work, plain Java"
    })
    void printsNoWarningAndLacksOnlyZstdWithoutNativeCode(String option, String zstd, String lz4) throws Exception {
        assertEquals(
                List.of("NONE works", "GZIP works", "LZ4 works", zstd, "null", "lz4: " + lz4),
                said(Codecs.class, option));
    }

    /** By default, the JVM permits native code with a warning. Only zstd has no other code. */
    @Test
    void lz4AndXxhash64CauseNoWarningByDefault() throws Exception {
        assertEquals(List.of("null", "lz4: plain Java"), said(Lz4AndXxhash64.class));
    }

    private static List<String> said(Class<? extends Runnable> what, String... options) throws Exception {
        Jvm.Output output = Jvm.run(
                Jvm.atLeast(WARNS),
                List.of(options),
                System.getProperty("java.class.path"),
                LikeAPlugin.class,
                what.getName());
        assertEquals("", output.errors());
        return output.said();
    }

    /** Loads all classes like a plugin, because the libraries behave differently in the class loader of the class path. */
    static final class LikeAPlugin {
        public static void main(String[] args) throws Exception {
            List<URL> classPath = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
                classPath.add(url(entry));
            }
            try (URLClassLoader loader =
                    new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
                ((Runnable) loader.loadClass(args[0]).getDeclaredConstructor().newInstance()).run();
            }
        }

        private static URL url(String entry) throws MalformedURLException {
            return Path.of(entry).toUri().toURL();
        }
    }

    public static final class Codecs implements Runnable {
        @Override
        public void run() {
            Arrays.stream(Codec.values())
                    .map(codec -> codec
                            + (codec == Codec.ZSTD && CodecLibrary.ZSTD.problem() != null
                                    ? " does not work"
                                    : Frame.block(codec, 0, new byte[10]).length > 0 ? " works" : " is empty"))
                    .forEach(System.out::println);
            new Lz4AndXxhash64().run();
        }
    }

    public static final class Lz4AndXxhash64 implements Runnable {
        @Override
        public void run() {
            System.out.println(CodecLibrary.LZ4.problem());
            System.out.println("lz4: " + (Native.isLoaded() ? "native" : "plain Java"));
        }
    }
}
