package io.jenkins.plugins.compressionaware.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Follows the guide in a copy of the sources, and runs the test that every codec must pass. */
class AddingACodecTest {
    private static final String PACKAGE = "io.jenkins.plugins.compressionaware.engine.codec.";
    private static final String CODEC_PACKAGE = "/java/" + PACKAGE.replace('.', '/');
    private static final String END_OF_CONSTANTS = ");\n\n    private final byte id;";
    private static final Pattern LAST_CASE = Pattern.compile("            case ZSTD -> .*\n");

    private final List<Page.Sample> guide = Page.of("docs/adding-a-codec.md").samples().stream()
            .filter(sample -> sample.language().equals("java"))
            .toList();

    @TempDir
    Path sources;

    @BeforeEach
    void copy() throws Exception {
        try (Stream<Path> files = Files.list(Page.root().resolve("src/main" + CODEC_PACKAGE))) {
            for (Path file : files.toList()) {
                Files.copy(file, sources.resolve(file.getFileName()));
            }
        }
        Files.copy(
                Page.root().resolve("src/test" + CODEC_PACKAGE + "CodecRoundTripTest.java"),
                sources.resolve("CodecRoundTripTest.java"));
    }

    @Test
    void codecOfGuidePassesRoundTripTest() throws Exception {
        assertEquals(3, guide.size(), "class, constant and case");
        Files.writeString(sources.resolve("InvertingCodec.java"), guide.get(0).code());
        Path codecs = sources.resolve("Codec.java");
        String before = Files.readString(codecs).replace("\r\n", "\n");
        assertTrue(before.contains(END_OF_CONSTANTS), "Codec.java has changed: adapt the guide or this test");
        String constant = guide.get(1).code().stripTrailing();
        String with = before.replace(END_OF_CONSTANTS, "),\n\n" + constant + ";\n\n    private final byte id;");
        Files.writeString(
                codecs,
                LAST_CASE
                        .matcher(with)
                        .replaceAll(last -> last.group() + guide.get(2).code()));

        try (URLClassLoader loader = Compiled.folder(sources)) {
            Class<?> type = loader.loadClass(PACKAGE + "Codec");
            Object codec = type.getMethod("valueOf", String.class).invoke(null, "INVERTING");
            assertEquals(false, type.getMethod("needsLibrary").invoke(codec));
            Class<?> test = loader.loadClass(PACKAGE + "CodecRoundTripTest");
            call(test, "roundTripsAllSizesWithinMaxEncodedLength", new Class<?>[] {type, int.class}, codec, 0);
            call(test, "roundTripsLargeBlocks", new Class<?>[] {type}, codec);
        }
    }

    private static void call(Class<?> test, String name, Class<?>[] types, Object... arguments) throws Exception {
        Constructor<?> constructor = test.getDeclaredConstructor();
        constructor.setAccessible(true);
        Method method = test.getDeclaredMethod(name, types);
        method.setAccessible(true);
        method.invoke(constructor.newInstance(), arguments);
    }
}
